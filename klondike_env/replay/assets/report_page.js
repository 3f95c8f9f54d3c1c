"use strict";
// The results page: the games of a run as a grid, and the replay of the one that is chosen.

(() => {
  const data = readData();
  const KINDS = {
    won: "won",
    lost: "not won, though it can be",
    unwinnable: "cannot be won",
    unknown: "not won; whether it can be is not known",
    unplayed: "not played",
  };
  let run = null, cell = 0, player = null;
  const grid = byId("grid");

  function kind(game, verdict) {
    if (!game) return "unplayed";
    if (game[0] === "won") return "won";
    return { w: "lost", u: "unwinnable" }[verdict] || "unknown";
  }

  function words(place) {
    const suite = data.suites[run.suite], game = run.games[place], code = suite.codes[place];
    const what = KINDS[kind(game, suite.verdicts[place])];
    if (!game) return `${code}: ${what}`;
    const [outcome, score, founded, steps, replay] = game;
    const end = outcome === "truncated" ? "; stopped at the step limit" : "";
    return `${code}: ${what}${end}. Score ${scoreText(score, run.vegas)}, ${founded} cards up, ${steps} steps` +
      (replay >= 0 ? ", recorded" : "");
  }

  function showRun(place, focus) {
    run = data.runs[place];
    cell = 0;
    const suite = data.suites[run.suite], counts = {};
    const cells = run.games.map((game, index) => {
      const which = kind(game, suite.verdicts[index]);
      counts[which] = (counts[which] || 0) + 1;
      const made = element("button", which, "", { type: "button", tabindex: index ? -1 : 0, "data-place": index });
      made.setAttribute("aria-label", words(index));
      if (game && game[4] >= 0) made.classList.add("recorded");
      return made;
    });
    grid.replaceChildren(...cells);
    byId("legend").replaceChildren(...Object.entries(KINDS).filter(([which]) => counts[which]).map(([which, text]) =>
      element("li", "", [element("span", "sample " + which, "", { "aria-hidden": "true" }), `${counts[which]} ${text}`])));
    byId("grid-title").textContent = `${run.title} on ${suite.name}, seed ${run.seed}: each game`;
    byId("grid-section").hidden = false;
    byId("game-hint").hidden = true;
    byId("replay-section").hidden = true;
    player?.close();
    for (const button of document.querySelectorAll("[data-run]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.run) === place));
    }
    tell(0);
    if (focus) byId("grid-title").focus();
  }

  function tell(place) {
    byId("cell-words").textContent = words(place);
  }

  function choose(place) {
    moveTo(place, false);
    const code = data.suites[run.suite].codes[place], game = run.games[place];
    const replay = game ? game[4] : -1;
    byId("replay-section").hidden = replay < 0;
    byId("game-hint").hidden = replay >= 0;
    if (replay >= 0) {
      openReplay(replay);
      return;
    }
    player?.close();
    const mode = code.split("-")[1], rules = run.rules === mode ? "" : ` --rules ${run.rules}`;
    byId("game-hint").replaceChildren(
      element("p", "", `No record of this game is on this page. To play ${code} yourself:`),
      element("pre", "", `klondike play ${code}${rules}`));
  }

  async function openReplay(replay) {
    player ??= new Player(data, { neighbour, opened: mark, address: () => {} });
    await player.open(replay);
    byId("replay-section").scrollIntoView({ block: "start", behavior: "auto" });
    // From the grid the arrow keys would go on there, and pull the page back to it.
    byId("game-name").focus({ preventScroll: true });
  }

  // The recorded game before or after one in the grid that is shown.
  function neighbour(index, by) {
    const recorded = run.games.map((game) => (game ? game[4] : -1)).filter((replay) => replay >= 0);
    return recorded[recorded.indexOf(index) + by] ?? null;
  }

  function mark(index) {
    const place = run.games.findIndex((game) => game && game[4] === index);
    moveTo(place, false);
  }

  function moveTo(place, focus) {
    grid.children[cell].tabIndex = -1;
    grid.querySelector("[aria-current]")?.removeAttribute("aria-current");
    cell = place;
    grid.children[cell].tabIndex = 0;
    grid.children[cell].setAttribute("aria-current", "true");
    if (focus) grid.children[cell].focus();
    tell(cell);
  }

  const placeOf = (event) => {
    const button = event.target.closest("[data-place]");
    return button ? Number(button.dataset.place) : null;
  };
  grid.addEventListener("click", (event) => placeOf(event) !== null && choose(placeOf(event)));
  grid.addEventListener("mouseover", (event) => placeOf(event) !== null && tell(placeOf(event)));
  grid.addEventListener("mouseleave", () => tell(cell));
  grid.addEventListener("keydown", (event) => {
    const top = grid.children[0].offsetTop;
    const width = [...grid.children].findIndex((child) => child.offsetTop !== top);
    const row = width < 0 ? grid.children.length : width;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, PageDown: 5 * row, PageUp: -5 * row }[event.key];
    const last = grid.children.length - 1;
    let place = event.key === "Home" ? 0 : event.key === "End" ? last : by === undefined ? null : cell + by;
    if (place === null) return;
    event.preventDefault();
    if (place >= 0 && place <= last) moveTo(place, true);
  });
  for (const button of document.querySelectorAll("[data-run]")) {
    button.addEventListener("click", () => showRun(Number(button.dataset.run), true));
  }
  if (data.runs.length) showRun(0, false);
})();
