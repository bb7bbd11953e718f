// What every page adds with scripts: keys, cards that can be closed, copying, waiting, suggestions.
"use strict";

(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const typing = (node) => node.matches?.("input, textarea, select, [contenteditable]");

  // Cards stay closed after Escape until the pointer or the focus leaves their marker.
  function closeCards() {
    for (const cite of all(".cite:hover, .cite:focus-within, .sentence:hover, .sentence:focus")) {
      cite.classList.add("quiet");
    }
  }
  const awake = (event) => {
    for (const node of all(".quiet")) if (!node.contains(event.relatedTarget)) node.classList.remove("quiet");
  };
  document.addEventListener("mouseout", awake);
  document.addEventListener("focusout", awake);

  // Left and right lead from marker to marker.
  function stepMarker(from, step) {
    const markers = all(".cite > a");
    const next = markers[markers.indexOf(from) + step];
    if (next) next.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const marker = event.target.closest?.(".cite > a");
    if (event.key === "Escape") closeCards();
    else if (event.key === "/" && !typing(event.target)) {
      const field = document.querySelector("#question, main input:not([type=hidden]), main textarea");
      if (!field) location.assign("/");
      else field.focus();
      event.preventDefault();
    } else if (marker && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      stepMarker(marker, event.key === "ArrowRight" ? 1 : -1);
      event.preventDefault();
    }
  });

  // Where the abstracts stand beside the answer, the quote that is pointed at is shown in its abstract.
  function point(event) {
    const marker = event.target.closest?.(".cite > a");
    const mark = marker && document.getElementById(marker.hash.slice(1));
    for (const node of all("mark.pointed")) node.classList.toggle("pointed", node === mark);
    const side = mark?.closest(".stands");
    if (!mark?.matches("mark")) return;
    mark.classList.add("pointed");
    if (side.scrollHeight <= side.clientHeight) return;
    const top = mark.getBoundingClientRect().top - side.getBoundingClientRect().top;
    if (top < 0 || top > side.clientHeight * 0.8) side.scrollTop += top - side.clientHeight * 0.3;
  }
  document.addEventListener("mouseover", point);
  document.addEventListener("focusin", point);

  async function copy(button) {
    const told = button.closest("section").querySelector(".copied");
    try {
      const answer = await fetch(button.dataset.copy);
      if (!answer.ok) throw new Error(answer.statusText);
      await navigator.clipboard.writeText(await answer.text());
      told.textContent = "Copied.";
    } catch {
      told.textContent = "The browser does not allow copying here; save it as Markdown.";
    }
  }

  // What takes long says so, and is not sent twice.
  function wait(form) {
    const button = form.querySelector("button[type=submit]");
    button.dataset.said = button.textContent;
    button.textContent = form.dataset.wait;
    button.disabled = true;
  }
  addEventListener("pageshow", () => {
    for (const button of all("button[data-said]")) {
      button.textContent = button.dataset.said;
      button.disabled = false;
    }
  });

  // Names of papers: with thousands, only those that fit what is typed are fetched.
  let asked = 0;
  async function suggest(field) {
    const mine = ++asked;
    const names = await fetch(`${field.dataset.suggest}?q=${encodeURIComponent(field.value)}`)
      .then((answer) => (answer.ok ? answer.json() : null))
      .catch(() => null);
    if (!names || mine !== asked) return;
    field.list.replaceChildren(...names.map((name) => new Option(name, name)));
  }

  function another(button) {
    const papers = button.closest("fieldset").querySelector(".papers");
    const row = papers.lastElementChild.cloneNode(true);
    const number = papers.children.length + 1;
    const field = row.querySelector("input");
    row.querySelector("label").textContent = `Paper ${number}`;
    row.querySelector("label").htmlFor = field.id = `paper-${number}`;
    field.value = "";
    papers.append(row);
    field.focus();
    if (number >= 20) button.hidden = true;
  }

  // A server breaks off what is too much without a word: say it before it is sent.
  function measure(field) {
    const files = [...field.files];
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const few = files.length <= +field.dataset.files && bytes < +field.dataset.most;
    document.getElementById("files-problem").textContent = few ? "" : "This is more than the server takes at once.";
    field.setCustomValidity(few ? "" : "This is more than the server takes at once.");
  }

  function enliven(root) {
    for (const node of all(".copy, .more[hidden]", root)) node.hidden = false;
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches(".copy")) copy(button);
    if (button?.matches(".more")) another(button);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.wait) wait(event.target);
  });
  document.addEventListener("change", (event) => {
    if (event.target.dataset.most) measure(event.target);
  });
  document.addEventListener("input", (event) => {
    if (event.target.dataset.suggest) suggest(event.target);
  });

  // How far the papers that are being read have come.
  async function follow() {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // The server may be busy, or back in a moment: the page stays as it is.
    }
    watch();
  }
  function show(page) {
    for (const part of ["main", ".bottom"]) {
      document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
    }
    document.title = page.title;
    enliven(document);
  }
  function watch() {
    if (document.querySelector("[data-job]")) setTimeout(follow, 700);
  }

  document.documentElement.classList.add("scripts");
  enliven(document);
  watch();
})();
