// Brings the marked words of a source into view: in the picture where it stands above the text, else in the text.

import { showMark } from "./marks.js";

showMark(document);
