// The conversation on the desk: forms become frames while the socket is open, and stay plain forms while it is not.

import { Socket } from "./socket.js";
import * as turns from "./turns.js";

const TYPING_EVERY = 2_000;

const desk = document.querySelector("[data-socket]");
const form = document.getElementById("ask");
const field = form.elements.question;
const refusal = document.getElementById("ask-error");
const lost = document.getElementById("connection-lost");

const handlers = {
  turn(frame) {
    if (turns.begin(frame)) taken();
    takeConversation(frame);
  },
  stage(frame) {
    turns.stage(frame);
    // Perhaps another model is on its way: the line about it says how far it is.
    if (frame.name === "waiting") document.body.dispatchEvent(new Event("answer-waiting"));
  },
  reading: turns.reading,
  looking: turns.looking,
  text: turns.text,
  ended(frame) {
    turns.end(frame);
    // What this answer has taught about costs, and what it has left in memory, is in the menu from now on.
    document.body.dispatchEvent(new Event("ways-changed"));
    // Perhaps the model is gone: the line about it asks anew.
    if (frame.state === "failed") document.body.dispatchEvent(new Event("answer-failed"));
  },
  gone(frame) {
    frame.turns.forEach((turn) => document.getElementById(`turn-${turn}`)?.remove());
  },
  conversations: refreshList,
  error(frame) {
    field.readOnly = false;
    refusal.textContent = frame.message;
    refusal.hidden = false;
  },
};

const socket = new Socket(desk.dataset.socket, {
  onFrame: (frame) => handlers[frame.type]?.(frame),
  onOpen() {
    form.classList.add("ask-live");
    lost.hidden = true;
    turns.openTurns().forEach((turn) => socket.send({ type: "follow", turn }));
    watch();
  },
  onClose() {
    form.classList.remove("ask-live");
    field.readOnly = false;
    lost.hidden = false;
  },
  onRefused() {
    lost.firstElementChild.textContent = "This desk is closed to this page. Load the page again to see why.";
  },
});

// What another tab asks here is shown here too. Said anew whenever the page is looked at again: notices may get lost.
function watch() {
  const shown = [...document.querySelectorAll("#turns > [data-turn]")].map((turn) => Number(turn.dataset.turn));
  socket.send({ type: "watch", conversation: conversation(), turns: shown });
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) watch();
});

let refresh = 0;

// What somebody has open in the list, a menu or a title to be typed, is not taken away: the list is put right after that.
function refreshList() {
  clearTimeout(refresh);
  if (document.querySelector("#conversation-list :is(form, details[open])")) refresh = setTimeout(refreshList, 2_000);
  else document.body.dispatchEvent(new Event("conversations-changed"));
}

function conversation() {
  return Number(form.elements.conversation.value) || null;
}

function ask(question, { lane, fresh }) {
  refusal.hidden = true;
  return socket.send({ type: "ask", question, conversation: conversation(), lane: lane || null, fresh });
}

// The first turn of a new conversation gives the page its address, so that a reload comes back to it.
function takeConversation(frame) {
  if (form.elements.conversation.value === String(frame.conversation)) return;
  form.elements.conversation.value = frame.conversation;
  history.replaceState(null, "", frame.url);
}

// A question stays in its field until it has become a turn: one that is refused, or lost on the way, can be sent again.
form.addEventListener("submit", (event) => {
  if (field.readOnly) return event.preventDefault();
  if (!ask(field.value, { lane: form.elements.lane.value, fresh: false })) return;
  event.preventDefault();
  field.readOnly = true;
});

function taken() {
  if (field.readOnly) {
    field.value = "";
    form.elements.lane.value = ""; // chosen for one question
  }
  field.readOnly = false;
}

let said = -Infinity;

// Whoever is about to ask has the reading ahead keep quiet, and the model take up what it knows. No word is sent along.
function aboutToAsk() {
  if (performance.now() - said < TYPING_EVERY || !socket.send({ type: "typing", conversation: conversation() })) return;
  said = performance.now();
}

field.addEventListener("focus", aboutToAsk);
field.addEventListener("input", aboutToAsk);

field.addEventListener("keydown", (event) => {
  // While a word is being composed (Japanese, Chinese …), Enter belongs to the input method.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (field.value.trim()) form.requestSubmit();
});

document.getElementById("turns").addEventListener("click", (event) => {
  const button = event.target.closest("[data-stop], [data-again]");
  if (!button) return;
  const sent = button.matches("[data-stop]")
    ? socket.send({ type: "stop", turn: Number(button.closest("[data-turn]").dataset.turn) })
    : ask(turns.questionOf(button), { lane: button.dataset.lane, fresh: "fresh" in button.dataset });
  if (sent) event.preventDefault();
});
