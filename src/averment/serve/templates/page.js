// Live progress of a question, and all claims at a click. Pages work without it.
"use strict";

const byId = (id) => document.getElementById(id);
// A step is told when it is done; what comes next, nobody knows.
const SPOKEN = {
  search: "Looked it up, going on …",
  generate: "A draft is written, checking it …",
  commit: "A sentence is checked and kept …",
  score: "Scoring the claims …",
};

function addStep(piece) {
  const item = document.createElement("li");
  item.className = piece.kind;
  const at = document.createElement("span");
  at.className = "at";
  at.textContent = `${piece.seconds.toFixed(1)} s`;
  const dot = document.createElement("i");
  dot.className = `dot ${piece.kind}`;
  const told = document.createElement("span");
  told.textContent = piece.told;
  item.append(at, dot, told);
  byId("steps").append(item);
  for (const number of piece.rejects) byId("steps").children[number].classList.add("rejected");
  byId("steps").scrollTop = byId("steps").scrollHeight;
  if (SPOKEN[piece.kind]) byId("state").textContent = SPOKEN[piece.kind];
}

function fail(message, hint) {
  const box = byId("failed");
  box.replaceChildren();
  for (const [text, kind] of [[message, ""], [hint, "note"]]) {
    if (!text) continue;
    const line = document.createElement("p");
    line.className = kind;
    line.textContent = text;
    box.append(line);
  }
  box.hidden = false;
}

function onPiece(piece) {
  if (piece.error) fail(piece.error.message);
  else if (piece.kind === "answer") location.assign(`/answers/${piece.answer}`);
  else if (piece.kind === "start") byId("state").textContent = "Begun, the model is reading …";
  else addStep(piece);
  return piece.kind === "answer" || Boolean(piece.error);
}

async function readPieces(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let ended = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const data = event.replace(/^data: /, "");
      if (data !== "[DONE]") ended = onPiece(JSON.parse(data)) || ended;
    }
  }
  if (!ended) fail("The server ended before the answer was there.");
}

async function askLive(form) {
  const stop = new AbortController();
  byId("stop").onclick = () => stop.abort();
  byId("steps").replaceChildren();
  byId("failed").hidden = true;
  byId("state").textContent = "Waiting for a free place …";
  byId("progress").hidden = false;
  form.setAttribute("aria-busy", "true");
  const button = form.querySelector("button");
  button.disabled = true;
  const begun = performance.now();
  const clock = setInterval(() => {
    byId("elapsed").textContent = `${Math.round((performance.now() - begun) / 1000)} s`;
  }, 1000);
  let answered = false;
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: new URLSearchParams(new FormData(form)),
      signal: stop.signal,
    });
    if (response.ok) {
      await readPieces(response);
      answered = byId("failed").hidden;
    } else if (response.status === 401) location.assign("/sign-in");
    else fail((await response.json()).error.message);
  } catch (error) {
    fail(error.name === "AbortError" ? "Stopped." : "The server cannot be reached.");
  }
  clearInterval(clock);
  if (answered) return;
  byId("progress").hidden = true;
  button.disabled = false;
  form.removeAttribute("aria-busy");
}

for (const form of document.querySelectorAll("form[data-live]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    askLive(form);
  });
  form.querySelector("textarea").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

for (const button of document.querySelectorAll("[data-open-all]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const claims = [...document.querySelectorAll("details.claim")];
    const open = claims.some((claim) => !claim.open);
    for (const claim of claims) claim.open = open;
    button.textContent = open ? "Close all claims" : "Open all claims";
  });
}

addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the list of answers has grown
});
