"use strict";
// The list of games: search, filters, order, and pages of it, so that it stays quick with thousands.

const PAGE_SIZE = 50;

class GameList {
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.page = 0;
    this.current = null;
    this.texts = data.games.map((game) =>
      [game.name, game.agent, game.rules, ...Object.values(game.info)].join(" ").toLowerCase());
    this.fill("agent-filter", "all agents", data.games.map((game) => game.agent));
    this.fill("rules-filter", "all rules", data.games.map((game) => game.rules));
    for (const id of ["search", "outcome-filter", "agent-filter", "rules-filter", "order"]) {
      byId(id).addEventListener("input", () => this.find());
    }
    byId("earlier").addEventListener("click", () => this.turn(-1));
    byId("later").addEventListener("click", () => this.turn(1));
    byId("game-list").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.choose(Number(button.dataset.index));
    });
    byId("game-list").addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const buttons = [...byId("game-list").querySelectorAll("button")];
      buttons[buttons.indexOf(document.activeElement) + by]?.focus();
    });
    this.find();
  }

  fill(id, all, values) {
    const different = [...new Set(values)].sort();
    byId(id).append(element("option", "", all, { value: "" }),
      ...different.map((value) => element("option", "", value, { value: "=" + value })));
    byId(id).closest("label").hidden = different.length < 2;
  }

  find() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = byId("outcome-filter").value, agent = byId("agent-filter").value, rules = byId("rules-filter").value;
    const games = this.data.games;
    this.found = games.map((_, index) => index).filter((index) =>
      words.every((word) => this.texts[index].includes(word)) &&
      (!outcome || (outcome === "other" ? !["won", "lost"].includes(games[index].outcome) : games[index].outcome === outcome)) &&
      (!agent || "=" + games[index].agent === agent) && (!rules || "=" + games[index].rules === rules));
    const order = {
      given: null,
      "most points": (a, b) => games[b].score - games[a].score,
      "fewest points": (a, b) => games[a].score - games[b].score,
      "most steps": (a, b) => games[b].steps - games[a].steps,
      "fewest steps": (a, b) => games[a].steps - games[b].steps,
      name: (a, b) => (games[a].name < games[b].name ? -1 : games[a].name > games[b].name ? 1 : 0),
    }[byId("order").value];
    if (order) this.found.sort(order);
    this.page = Math.max(0, Math.floor(this.found.indexOf(this.current) / PAGE_SIZE));
    this.draw();
  }

  turn(by) {
    this.page += by;
    this.draw();
    byId("game-list").scrollTop = 0;
  }

  draw() {
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE_SIZE));
    this.page = Math.max(0, Math.min(this.page, pages - 1));
    const start = this.page * PAGE_SIZE, shown = this.found.slice(start, start + PAGE_SIZE);
    byId("found").textContent = this.found.length === this.data.games.length
      ? `${this.found.length} games` : `${this.found.length} of ${this.data.games.length} games`;
    byId("page-number").textContent = shown.length ? `${start + 1}–${start + shown.length}` : "none";
    byId("pager").hidden = pages < 2;
    byId("earlier").disabled = this.page === 0;
    byId("later").disabled = this.page === pages - 1;
    byId("game-list").replaceChildren(...shown.map((index) => this.row(index)));
  }

  row(index) {
    const game = this.data.games[index];
    const button = element("button", "", [
      element("span", "name", game.name),
      element("span", `tag ${game.outcome}`, OUTCOME_WORDS[game.outcome]),
      element("span", "facts", [game.agent, game.rules, `${scoreText(game.score, game.vegas)} ${game.vegas ? "" : "points"}`.trim(), `${game.steps} steps`].join(" · ")),
    ], { type: "button", "data-index": index });
    if (index === this.current) button.setAttribute("aria-current", "true");
    return element("li", "", [button]);
  }

  mark(index) {
    this.current = index;
    const place = this.found.indexOf(index);
    if (place >= 0) this.page = Math.floor(place / PAGE_SIZE);
    const focused = byId("game-list").contains(document.activeElement);
    this.draw();
    if (focused) byId("game-list").querySelector("[aria-current]")?.focus();
  }

  neighbour(index, by) {
    const place = this.found.indexOf(index);
    return place < 0 ? null : this.found[place + by] ?? null;
  }
}
