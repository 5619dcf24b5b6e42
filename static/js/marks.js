// Brings the marked words of a source into view: in its text or in the picture of the page, whichever comes first.

export function showMark(root) {
  const marks = [root.querySelector("#quote"), root.querySelector("[data-place]")].filter(Boolean);
  const [first] = marks.sort((one, other) => top(one) - top(other));
  // What is in view already stays where it is, with its title and its page numbers above it.
  if (first && !isInView(first)) first.scrollIntoView({ block: "center" });
}

function top(element) {
  return element.getBoundingClientRect().top;
}

function isInView(element) {
  const box = element.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}
