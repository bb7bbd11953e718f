(() => {
  "use strict";
  const map = document.querySelector("svg.map");
  const tip = document.getElementById("tip");
  const buttons = [...document.querySelectorAll(".legend button")];
  // The titles are for browsers without scripts; here the box takes their place.
  const points = [...map.querySelectorAll(".theme use")].map((node) => {
    const title = node.querySelector("title");
    const lines = title.textContent.split("\n");
    title.remove();
    return { x: +node.getAttribute("x"), y: +node.getAttribute("y"), theme: node.closest(".theme").dataset.theme, lines, link: node.closest("a") };
  });
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ring.setAttribute("class", "ring");
  ring.setAttribute("r", 0);
  map.append(ring);
  let current = null;
  let chosen = null;
  let touched = null;

  const line = (text, kind) => {
    const element = document.createElement("div");
    element.className = kind;
    element.textContent = text;
    return element;
  };
  const headingOf = (theme) => buttons[theme].querySelector(".title").textContent;

  function hide() {
    current = null;
    tip.replaceChildren();
    ring.setAttribute("r", 0);
  }

  function show(point) {
    if (point !== current) {
      current = point;
      tip.replaceChildren(
        ...point.lines.map((text, n) => line(text, n ? "more" : "first")),
        line(`${+point.theme + 1} ${headingOf(point.theme)}`, "of"),
      );
      ring.setAttribute("cx", point.x);
      ring.setAttribute("cy", point.y);
    }
    const matrix = map.getScreenCTM();
    ring.setAttribute("r", 11 / matrix.a);
    const place = new DOMPoint(point.x, point.y).matrixTransform(matrix);
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(place.x - box.width / 2, 8), innerWidth - box.width - 8);
    const above = place.y - box.height - 16;
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${above > 8 ? above : place.y + 16}px`;
  }

  const isShown = (point) => chosen === null || point.theme === chosen;

  function nearest(event) {
    const matrix = map.getScreenCTM();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const reach = (event.pointerType === "mouse" ? 14 : 26) / matrix.a;
    let best = null;
    let least = reach * reach;
    for (const point of points) {
      const far = (point.x - at.x) ** 2 + (point.y - at.y) ** 2;
      if (far < least && isShown(point)) [best, least] = [point, far];
    }
    return best;
  }

  function choose(theme) {
    chosen = theme === chosen ? null : theme;
    map.classList.toggle("chosen", chosen !== null);
    for (const node of map.querySelectorAll("[data-theme], [data-label]")) {
      node.classList.toggle("on", (node.dataset.theme ?? node.dataset.label) === chosen);
    }
    buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(String(n) === chosen)));
    if (current && !isShown(current)) hide();
  }

  // The nearest point within 60 degrees of the arrow's direction; what lies straight ahead counts as nearer.
  function step(dx, dy) {
    const from = current ?? { x: 500, y: 360 };
    let best = null;
    let least = Infinity;
    for (const point of points) {
      const along = (point.x - from.x) * dx + (point.y - from.y) * dy;
      const aside = Math.abs((point.x - from.x) * dy - (point.y - from.y) * dx);
      const far = along + aside * 2;
      if (point !== current && along > 0 && aside <= along * 1.73 && far < least && isShown(point)) {
        [best, least] = [point, far];
      }
    }
    if (best) show(best);
  }

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const found = (event) => {
    const point = nearest(event);
    if (point) show(point);
    else hide();
  };
  const open = (point) => location.assign(point.link.getAttribute("href"));
  // A finger shows the paper first; the second touch opens it.
  const follow = (event) => {
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const point = nearest(event);
    if (point?.link && (event.pointerType !== "touch" || point === touched)) open(point);
    touched = point;
  };
  map.addEventListener("click", follow);
  map.addEventListener("pointermove", found);
  map.addEventListener("pointerdown", found);
  map.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
  map.addEventListener("focus", () => { if (!current && map.matches(":focus-visible")) step(1, 0); });
  map.addEventListener("blur", hide);
  addEventListener("scroll", hide, { passive: true });
  addEventListener("resize", hide);
  map.addEventListener("keydown", (event) => {
    if (event.key in arrows) step(...arrows[event.key]);
    else if (event.key === "Enter" && current?.link) open(current);
    else if (event.key === "Enter" && current) choose(current.theme);
    else return;
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hide();
    if (chosen !== null) choose(chosen);
  });
  buttons.forEach((button, n) => button.addEventListener("click", () => choose(String(n))));
})();
