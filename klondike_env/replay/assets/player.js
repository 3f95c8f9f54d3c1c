"use strict";
// Shows one game at a time, step by step.

const byId = (id) => document.getElementById(id);
const OUTCOME_WORDS = { won: "won", lost: "lost", truncated: "stopped", open: "not finished" };

class Player {
  // `neighbour(index, by)` returns the game before or after one in the list, or null; `opened(index)` is told of a new one.
  constructor(data, { neighbour, opened, address }) {
    this.data = data;
    this.neighbour = neighbour;
    this.opened = opened;
    this.address = address;
    this.board = new Board(byId("board"));
    this.game = this.index = this.wanted = null;
    this.step = 0;
    this.timer = null;
    this.connect();
  }

  connect() {
    const buttons = {
      "to-start": () => this.go(0),
      back: () => this.go(this.step - 1),
      play: () => this.togglePlay(),
      forward: () => this.go(this.step + 1),
      "to-end": () => this.go(Infinity),
      "previous-game": () => this.openNeighbour(-1),
      "next-game": () => this.openNeighbour(1),
      "copy-code": () => this.copyCode(),
    };
    for (const [id, act] of Object.entries(buttons)) byId(id).addEventListener("click", act);
    byId("slider").addEventListener("input", (event) => this.go(Number(event.target.value)));
    byId("speed").addEventListener("change", () => this.timer && this.play());
    byId("show-legal").addEventListener("change", () => this.draw());
    byId("show-hidden").addEventListener("change", () => this.draw());
    byId("history").addEventListener("toggle", () => this.listMoves());
    byId("all-moves").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.go(Number(button.dataset.step));
    });
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.game || event.defaultPrevented) return;
    const tag = event.target.tagName, isSlider = event.target.type === "range", isCheck = event.target.type === "checkbox";
    if ((tag === "INPUT" && !isSlider && !isCheck) || tag === "SELECT" || tag === "TEXTAREA") return;
    if (event.target.closest("[data-own-keys]")) return;
    // Space and arrows belong to the control that has the focus, where it has a use for them.
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY" || isCheck)) return;
    const keys = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.go(this.step + 1),
      PageUp: () => this.go(this.step - 10),
      PageDown: () => this.go(this.step + 10),
      Home: () => this.go(0),
      End: () => this.go(Infinity),
      " ": () => this.togglePlay(),
      n: () => this.openNeighbour(1),
      p: () => this.openNeighbour(-1),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }

  async open(index, step = 0) {
    this.pause();
    this.wanted = index;
    const game = await openGame(this.data, index);
    // Another game may have been asked for while this one was unpacked.
    if (this.wanted !== index) return;
    this.index = index;
    this.game = game;
    const facts = this.data.games[index];
    byId("game-name").textContent = facts.name;
    const info = Object.entries(facts.info).map(([key, value]) => `${key} ${value}`);
    byId("game-facts").textContent = [`rules ${facts.rules}`, `played by ${facts.agent || "?"}`, ...info].join(" · ");
    byId("copy-code").hidden = !facts.code;
    byId("slider").max = game.count - 1;
    for (const [id, by] of [["previous-game", -1], ["next-game", 1]]) {
      byId(id).hidden = this.data.games.length < 2;
      byId(id).disabled = this.neighbour(index, by) === null;
    }
    this.board.setHeight(game.height);
    this.listed = false;
    this.step = Math.max(0, Math.min(step, game.count - 1));
    this.listMoves();
    this.draw();
    this.opened(index);
  }

  // Show no game until one is opened again; keys then do nothing.
  close() {
    this.pause();
    this.game = this.index = this.wanted = null;
  }

  openNeighbour(by) {
    const other = this.neighbour(this.index, by);
    if (other !== null) this.open(other);
  }

  go(step) {
    if (!this.game) return;
    const target = Math.max(0, Math.min(step, this.game.count - 1));
    if (target === this.step) return;
    this.step = target;
    if (this.timer && target === this.game.count - 1) this.pause();
    this.draw();
  }

  togglePlay() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    if (!this.game) return;
    clearInterval(this.timer);
    if (this.step === this.game.count - 1) this.go(0);
    const pause = Number(byId("speed").value);
    byId("board").style.setProperty("--slide", `${Math.min(200, pause * 0.7)}ms`);
    this.timer = setInterval(() => this.go(this.step + 1), pause);
    this.showPlaying();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    byId("board").style.removeProperty("--slide");
    this.showPlaying();
  }

  showPlaying() {
    byId("play").textContent = this.timer ? "Pause" : "Play";
  }

  draw() {
    if (!this.game) return;
    const facts = this.data.games[this.index], last = this.game.count - 1;
    const frame = this.game.frame(this.step), before = this.step ? this.game.frame(this.step - 1) : null;
    const showLegal = byId("show-legal").checked, outlined = new Set();
    if (showLegal) {
      for (const choice of frame.legal) {
        for (const card of movedCards(frame, this.data.moves[choice.action], choice)) outlined.add(card);
      }
    }
    const showHidden = byId("show-hidden").checked;
    const stockOutlined = showLegal && frame.legal.some((choice) => choice.action === 0);
    this.board.show(frame, before, { showHidden, outlined, stockOutlined });
    byId("score").textContent = scoreText(frame.score, facts.vegas);
    const left = frame.passesLeft < 0 ? "" : frame.passesLeft === 0 ? ", the last" : `, ${frame.passesLeft} left`;
    byId("pass").textContent = frame.passNumber + left;
    byId("stock-count").textContent = frame.stock.length || (frame.canRedeal ? "0, redeal" : "0");
    byId("waste-count").textContent = frame.waste.length;
    const outcome = frame.isWon ? "won" : this.step === last ? OUTCOME_WORDS[facts.outcome] : "in play";
    byId("outcome").textContent = outcome;
    byId("outcome").dataset.outcome = outcome;
    byId("slider").value = this.step;
    byId("step-count").textContent = `${this.step} / ${last}`;
    byId("back").disabled = byId("to-start").disabled = this.step === 0;
    byId("forward").disabled = byId("to-end").disabled = this.step === last;
    const words = moveWords(this.data, before, frame);
    const gained = before ? frame.score - before.score : 0;
    const points = gained ? ` (${gained > 0 ? "+" : "-"}${facts.vegas ? "$" : ""}${Math.abs(gained)})` : "";
    const clock = frame.seconds ? ` at ${this.clockText(frame.seconds)}` : "";
    byId("step-words").textContent = words + points + clock;
    byId("slider").setAttribute("aria-valuetext", `step ${this.step} of ${last}: ${words}`);
    if (!this.timer) byId("announcement").textContent = `Step ${this.step}: ${words}${points}. Score ${byId("score").textContent}.`;
    this.showChoices(frame);
    this.showHiddenCards(frame, showHidden);
    this.markMove();
    this.address(this.index, this.step);
  }

  clockText(seconds) {
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  // The legal moves; where the agent said what it thought, the likeliest first, with bars.
  showChoices(frame) {
    const [value, unit, rows] = frame.thoughts || [null, "", []];
    const said = new Map(rows.map(([action, share, worth]) => [action, { share, worth }]));
    const choices = [...frame.legal];
    if (rows.length) {
      const rank = new Map(rows.map(([action], place) => [action, place]));
      choices.sort((a, b) => (rank.get(a.action) ?? 99) - (rank.get(b.action) ?? 99));
    }
    byId("choices-title").textContent = `Legal moves (${choices.length})`;
    byId("legal-moves").classList.toggle("with-thoughts", rows.length > 0);
    byId("legal-moves").replaceChildren(...choices.map((choice) => {
      const words = element("span", "words", choiceWords(this.data, frame, choice));
      const item = element("li", "", [words], { "data-action": choice.action });
      const { share = null, worth = null } = said.get(choice.action) || {};
      if (rows.length) {
        item.append(element("span", "bar", [element("span", "fill")], { "aria-hidden": "true" }));
        item.querySelector(".fill").style.width = `${100 * (share ?? 0)}%`;
        item.append(element("span", "share", share === null ? "" : this.percent(share)));
        item.append(element("span", "worth", worth === null ? "" : this.worthText(worth, unit)));
      }
      if (choice.action === frame.nextMove) {
        item.classList.add("chosen");
        item.setAttribute("aria-current", "true");
        words.append(element("span", "mark", " ← played"));
      }
      return item;
    }));
    byId("thoughts-key").hidden = rows.length === 0;
    byId("thoughts-key").textContent = rows.some(([, , worth]) => worth !== null) ? `probability | ${unit}` : "probability";
    byId("value").hidden = value === null;
    if (value !== null) this.showValue(value, unit);
  }

  showValue(value, unit) {
    const isShare = this.isShare(value, unit);
    const parts = [element("span", "", `${unit}: `), element("strong", "", this.worthText(value, unit))];
    if (isShare) {
      parts.push(element("span", "bar", [element("span", "fill")], { "aria-hidden": "true" }));
      parts[2].firstChild.style.width = `${100 * value}%`;
    }
    byId("value").replaceChildren(...parts);
  }

  isShare(value, unit) {
    return /^(chance|share)/.test(unit) && value >= 0 && value <= 1;
  }

  worthText(worth, unit) {
    return this.isShare(worth, unit) ? this.percent(worth) : String(Number(worth.toPrecision(3)));
  }

  percent(share) {
    return `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
  }

  showHiddenCards(frame, shown) {
    byId("hidden-cards").hidden = !shown;
    if (!shown) return;
    const row = (name, cards) => element("div", "", [element("dt", "", name), element("dd", "", cards.map(cardText).join(" ") || "none")]);
    byId("hidden-cards").replaceChildren(
      row("Stock, next to be turned first", frame.stock), row("Waste, top first", [...frame.waste].reverse()));
  }

  // The list of all moves, made when it is opened.
  listMoves() {
    if (!this.game || !byId("history").open || this.listed) return;
    const items = [];
    let before = null;
    for (let step = 0; step < this.game.count; step++) {
      const frame = this.game.frame(step);
      const words = moveWords(this.data, before, frame);
      const score = scoreText(frame.score, this.data.games[this.index].vegas);
      const button = element("button", "", [element("span", "number", step), element("span", "words", words), element("span", "score", score)],
        { type: "button", "data-step": step });
      items.push(element("li", "", [button]));
      before = frame;
    }
    byId("all-moves").replaceChildren(...items);
    this.listed = true;
    this.markMove();
  }

  markMove() {
    if (!byId("history").open || !this.listed) return;
    const list = byId("all-moves");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = list.children[this.step].firstChild;
    button.setAttribute("aria-current", "step");
    // Only the list scrolls, not the page.
    const top = button.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 2;
  }

  async copyCode() {
    const code = this.data.games[this.index].code, button = byId("copy-code");
    try {
      await navigator.clipboard.writeText(code);
      button.textContent = "Copied";
    } catch {
      button.textContent = code;
    }
    setTimeout(() => (button.textContent = "Copy code"), 2000);
  }
}
