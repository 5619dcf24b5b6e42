// Finds the marked words of a source, in the picture of the page or in its text, and brings them into view.

export function showMark(root) {
  const word = root.querySelector("#quote");
  const place = root.querySelector("[data-place]");
  const stacked = place && word && !beside(place.closest(".printed"), word.closest(".sheet"));
  (stacked || !word ? place : word)?.scrollIntoView({ block: "center" });
}

function beside(one, other) {
  return one.getBoundingClientRect().right <= other.getBoundingClientRect().left;
}
