"use strict";
// Games as the page holds them: a row of bytes for each step (page_games.py), unpacked when a game is opened.

const SUIT_SYMBOLS = ["♠", "♥", "♦", "♣"];
const SUIT_NAMES = ["spades", "hearts", "diamonds", "clubs"];
const RANK_TEXTS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const RANK_NAMES = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"];
const NO_MOVE = 253, UNDO = 254, RESTART = 255;
const COLUMN_PLACES = 32, COLUMN_ROOM = 19, FOUNDATION_PLACES = 200;
const CAN_REDEAL = 1, IS_WON = 2;

const cardText = (card) => RANK_TEXTS[card % 13] + SUIT_SYMBOLS[Math.floor(card / 13)];
const cardName = (card) => RANK_NAMES[card % 13] + " of " + SUIT_NAMES[Math.floor(card / 13)];

const readData = () => JSON.parse(document.getElementById("data").textContent);

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A game with all its steps. A step is read with `frame(step)`.
class DecodedGame {
  constructor(game, layout, bytes) {
    this.layout = layout;
    this.count = game.steps + 1;
    const size = layout.size * this.count;
    this.bytes = bytes.slice(0, size);
    for (let field = 0; field < layout.size; field++) {
      for (let at = field * this.count + 1; at < (field + 1) * this.count; at++) {
        this.bytes[at] += this.bytes[at - 1];
      }
    }
    this.thoughts = bytes.length > size ? JSON.parse(new TextDecoder().decode(bytes.subarray(size))) : [];
    this.height = this.tallest();
  }

  byte(field, step, place = 0) {
    return this.bytes[(this.layout[field] + place) * this.count + step];
  }

  number(field, step) {
    let value = 0;
    for (let place = 3; place >= 0; place--) value = (value << 8) | this.byte(field, step, place);
    return value;
  }

  frame(step) {
    const columns = [[], [], [], [], [], [], []], talon = [], foundations = [0, 0, 0, 0];
    for (let card = 0; card < 52; card++) {
      const place = this.byte("cards", step, card);
      if (place >= FOUNDATION_PLACES) foundations[place - FOUNDATION_PLACES]++;
      else if (place >= COLUMN_PLACES) {
        const at = place - COLUMN_PLACES;
        columns[Math.floor(at / COLUMN_ROOM)][at % COLUMN_ROOM] = card;
      } else talon[place] = card;
    }
    const wasteLength = this.byte("wasteLength", step), flags = this.byte("flags", step);
    const legal = [];
    for (let action = 0; action < 44; action++) {
      if ((this.byte("legal", step, action >> 3) >> (action & 7)) & 1) legal.push({ action, cards: 1 });
    }
    for (let place = 0; place < 42; place++) {
      const cards = this.byte("runs", step, place);
      if (cards) legal.push({ action: 44 + place, cards });
    }
    return {
      columns, foundations, legal,
      faceDown: columns.map((_, column) => this.byte("faceDown", step, column)),
      waste: talon.slice(0, wasteLength),
      stock: talon.slice(wasteLength, this.byte("talonLength", step)),
      inSight: this.byte("fanLength", step),
      canRedeal: Boolean(flags & CAN_REDEAL),
      isWon: Boolean(flags & IS_WON),
      move: this.byte("move", step),
      score: this.number("score", step),
      passNumber: this.number("passNumber", step),
      passesLeft: this.number("passesLeft", step),
      seconds: this.number("milliseconds", step) / 1000,
      thoughts: this.thoughts[step] || null,
      nextMove: step + 1 < this.count ? this.byte("move", step + 1) : null,
    };
  }

  // The height that the tallest column ever needs, so that nothing below the table moves while the game is shown.
  tallest() {
    let tallest = 0;
    for (let step = 0; step < this.count; step++) {
      const lengths = [0, 0, 0, 0, 0, 0, 0];
      for (let card = 0; card < 52; card++) {
        const place = this.byte("cards", step, card) - COLUMN_PLACES;
        if (place >= 0 && place < FOUNDATION_PLACES - COLUMN_PLACES) lengths[Math.floor(place / COLUMN_ROOM)]++;
      }
      for (let column = 0; column < 7; column++) {
        tallest = Math.max(tallest, columnReach(lengths[column], this.byte("faceDown", step, column)));
      }
    }
    return tallest;
  }
}

const decodedGames = new Map();

async function openGame(data, index) {
  if (!decodedGames.has(index)) {
    const game = data.games[index];
    const decoded = new DecodedGame(game, data.layout, await inflate(game.frames));
    if (decodedGames.size >= 6) decodedGames.delete(decodedGames.keys().next().value);
    decodedGames.set(index, decoded);
  }
  return decodedGames.get(index);
}

// The cards that a legal move takes, the lowest first; none for the stock, whose cards the player has not seen.
function movedCards(frame, move, { action, cards }) {
  if (move.source === "waste") return frame.waste.slice(-1);
  if (move.source === "foundation") return [13 * move.suit + frame.foundations[move.suit] - 1];
  if (move.source === "column") return frame.columns[move.from - 1].slice(-cards);
  return [];
}

// What an entry did, in words.
function moveWords(data, before, after) {
  if (after.move === UNDO) return "undo";
  if (after.move === RESTART) return "restart";
  if (after.move === NO_MOVE || !before) return "the deal";
  const move = data.moves[after.move];
  if (move.source === "stock") {
    return before.stock.length ? "turn " + after.waste.slice(before.waste.length).map(cardText).join(" ") : "redeal";
  }
  const legal = before.legal.find((choice) => choice.action === after.move);
  return movedCards(before, move, legal).map(cardText).join(" ") + ": " + move.name;
}

// What a legal move would do, in words.
function choiceWords(data, frame, choice) {
  const move = data.moves[choice.action];
  if (move.source === "stock") return frame.stock.length ? "turn the stock" : "redeal";
  return movedCards(frame, move, choice).map(cardText).join(" ") + ": " + move.name;
}

function scoreText(score, vegas) {
  if (!vegas) return String(score);
  return (score > 0 ? "+" : score < 0 ? "-" : "") + "$" + Math.abs(score);
}

// A new element: its class, its text or children, and attributes.
function element(tag, className = "", content = "", attributes = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (Array.isArray(content)) made.append(...content);
  else made.textContent = content;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
