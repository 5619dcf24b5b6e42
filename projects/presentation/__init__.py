"""What the pages and the websocket show: rows turned into safe HTML and into words, without a request at hand."""
