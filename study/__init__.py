"""What was learned about documents in advance, and the queue in which that reading is done."""
