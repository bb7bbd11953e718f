// Ask with scripts: the steps and sentences of an answer as they come, and a button that stops it.
"use strict";

(() => {
  const STAGES = ["searching", "reading", "writing", "checking"];
  const SAID = {
    searching: () => "Searching",
    reading: (papers) => (papers ? `Reading ${papers} paper${papers === 1 ? "" : "s"}` : "Reading"),
    writing: () => "Writing",
    checking: () => "Checking",
  };
  const FAILED = "The server does not answer. Is it still running?";
  let stopping = null;

  const make = (tag, kind, text = "") => {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.textContent = text;
    return node;
  };

  class Live {
    constructor(question) {
      this.box = document.getElementById("live");
      this.stages = make("ol", "stages");
      this.stages.setAttribute("aria-label", "Steps");
      for (const stage of STAGES) this.stages.append(make("li", "", SAID[stage](0)));
      // One sentence is read aloud when it is finished, and none of them twice.
      this.said = make("div", "said-so-far");
      this.said.setAttribute("aria-live", "polite");
      this.said.setAttribute("aria-atomic", "false");
      this.told = make("p", "soft");
      this.told.setAttribute("role", "status");
      this.stop = make("button", "stop", "Stop");
      this.stop.type = "button";
      this.stop.addEventListener("click", () => stopping?.abort());
      const title = make("h2", "", question);
      title.dir = "auto";
      const row = make("div", "row");
      row.append(this.stop);
      this.box.replaceChildren(title, this.stages, this.said, this.told, row);
      this.box.hidden = false;
      this.box.scrollIntoView({ block: "nearest" });
    }

    stage({ stage, papers }) {
      const place = STAGES.indexOf(stage);
      [...this.stages.children].forEach((node, n) => {
        node.className = n < place ? "done" : n === place ? "now" : "";
        if (n === place) {
          node.textContent = SAID[stage](papers);
          this.told.textContent = `${SAID[stage](papers)}…`;
        }
      });
    }

    sentence({ text, citations }) {
      const marks = [...new Set(citations.map((c) => `[${c.marker}]`))].join("");
      const line = make("p", "", `${text} ${marks}`);
      line.dir = "auto";
      this.said.append(line);
    }

    end(message, hint = "") {
      for (const node of this.stages.children) if (node.className === "now") node.className = "";
      this.told.textContent = "";
      const box = make("div", "trouble");
      box.setAttribute("role", "alert");
      box.append(make("p", "said", message));
      if (hint) box.append(make("p", "", hint));
      this.stop.closest(".row").replaceWith(box);
    }
  }

  async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block);
        const data = /^data: (.*)$/m.exec(block);
        if (name && data) yield { name: name[1], data: JSON.parse(data[1]) };
      }
    }
  }

  // The finished answer takes the place of the page, at its own address.
  async function open({ address, html }) {
    if (address) {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(answer.statusText);
      html = await answer.text();
      history.pushState({}, "", address);
      shown = location.pathname;
    }
    const page = new DOMParser().parseFromString(html, "text/html");
    document.title = page.title;
    const main = document.querySelector("main");
    main.className = page.querySelector("main").className;
    main.replaceChildren(...page.querySelector("main").childNodes);
    for (const node of document.querySelectorAll(".top [aria-current]")) node.removeAttribute("aria-current");
    for (const node of main.querySelectorAll(".copy")) node.hidden = false;
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  let shown = location.pathname;
  addEventListener("popstate", () => { if (location.pathname !== shown) location.reload(); });

  async function ask(form) {
    const data = new FormData(form);
    const question = String(data.get("question")).trim();
    if (!question) return;
    const live = new Live(question);
    stopping = new AbortController();
    live.stop.focus({ preventScroll: true });
    lock(true);
    try {
      const answer = await fetch(form.dataset.stream, {
        method: "POST",
        body: new URLSearchParams(data),
        signal: stopping.signal,
        headers: { Accept: "text/event-stream" },
      });
      if (!answer.ok) return live.end(...(await reason(answer)));
      await take(answer.body, live);
    } catch (error) {
      if (error.name === "AbortError") live.end("Stopped.", "What was written so far is not kept.");
      else live.end(FAILED);
    } finally {
      lock(false);
      stopping = null;
    }
  }

  async function take(body, live) {
    for await (const { name, data } of events(body)) {
      if (name === "stage") live.stage(data);
      else if (name === "sentence") live.sentence(data);
      else if (name === "failed") return live.end(data.message, data.hint);
      else if (name === "kept") return open(data);
    }
    live.end("The answer broke off.", "Ask again.");
  }

  async function reason(answer) {
    if (answer.headers.get("content-type")?.includes("json")) {
      const { detail, hint } = await answer.json();
      return [detail, hint || ""];
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [said, hint] = page.querySelectorAll(".trouble p, .problem");
    return [said?.textContent || `The server refused this (${answer.status}).`, hint?.textContent || ""];
  }

  function lock(locked) {
    for (const button of document.querySelectorAll("form[data-stream] button")) button.disabled = locked;
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.stream || !document.getElementById("live")) return;
    event.preventDefault();
    ask(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && stopping) stopping.abort();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    if (!event.target.matches(".asking textarea")) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
})();
