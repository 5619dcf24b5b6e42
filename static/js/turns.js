// Shows turns as their frames come: the fragment, what is being done, tokens, and the fragment of the end.

const NEAR = 120;
const STAGES = {
  searching: "Looking through the documents…",
  waiting: "Waiting for the model…",
  reading: "Reading the passages…",
  answering: "Answering…",
};

const list = document.getElementById("turns");
const invitation = document.getElementById("invitation");
const announcer = document.getElementById("announce");
const numbers = new Intl.NumberFormat(document.documentElement.lang);

export function openTurns() {
  return [...list.querySelectorAll('[data-state="waiting"], [data-state="answering"]')].map((turn) => Number(turn.dataset.turn));
}

// Shows a turn from its beginning; tells whether it is a new one.
export function begin(frame) {
  const known = turnOf(frame);
  if (invitation) invitation.hidden = true;
  if (known) {
    keepingPlace(() => known.replaceWith(fragment(frame.html)));
  } else {
    list.append(fragment(frame.html));
    turnOf(frame).scrollIntoView({ block: "start" });
  }
  // The frames that follow bring the text from its beginning.
  part(frame, "[data-answer]")?.replaceChildren();
  return !known;
}

export function stage(frame) {
  const status = part(frame, "[data-status]");
  if (status) status.textContent = STAGES[frame.name] ?? "";
  const progress = part(frame, "[data-progress]");
  if (progress) progress.hidden = frame.name !== "reading";
  announcer.textContent = STAGES[frame.name] ?? "";
}

export function reading(frame) {
  const status = part(frame, "[data-status]");
  if (!status) return;
  const left = frame.seconds_left === null ? "" : ` · ${duration(frame.seconds_left)} left`;
  status.textContent = `Reading ${numbers.format(frame.read)} of ${numbers.format(frame.total)} tokens${left}`;
  const progress = part(frame, "[data-progress]");
  progress.hidden = false;
  progress.max = frame.total;
  progress.value = frame.read;
}

export function looking(frame) {
  const status = part(frame, "[data-status]");
  if (!status) return;
  status.textContent = `Asking document ${numbers.format(frame.done + 1)} of ${numbers.format(frame.total)}: ${frame.name}`;
  const progress = part(frame, "[data-progress]");
  progress.hidden = false;
  progress.max = frame.total;
  progress.value = frame.done;
}

export function text(frame) {
  const answer = part(frame, "[data-answer]");
  if (answer) keepingPlace(() => answer.append(frame.text));
}

export function end(frame) {
  const turn = turnOf(frame);
  if (!turn) return;
  keepingPlace(() => turn.replaceWith(fragment(frame.html)));
  window.htmx?.process(turnOf(frame));
  announcer.textContent = frame.state === "done" ? "The answer is complete." : "The answer has ended.";
}

export function questionOf(button) {
  return button.closest("[data-turn]").querySelector(".question").textContent;
}

// A reader at the end stays at the end; one who has scrolled up is left where they are.
function keepingPlace(change) {
  const page = document.scrollingElement;
  const atEnd = page.scrollHeight - page.scrollTop - page.clientHeight < NEAR;
  change();
  if (atEnd) page.scrollTop = page.scrollHeight;
}

function turnOf(frame) {
  return document.getElementById(`turn-${frame.turn}`);
}

function part(frame, selector) {
  return turnOf(frame)?.querySelector(selector) ?? null;
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
