"use strict";
// The table: 52 cards that slide from place to place. All lengths are hundredths of the table's width.

const CARD_WIDTH = 12.7, CARD_HEIGHT = CARD_WIDTH * 1.4, COLUMN_STEP = (100 - CARD_WIDTH) / 6;
const COLUMNS_TOP = CARD_HEIGHT + 2.6, FACE_DOWN_STEP = 1.9, FACE_UP_STEP = 4.7, FAN_STEP = 6, MAX_REACH = 46;

const SVG = "http://www.w3.org/2000/svg";
const SUIT_PATHS = [
  "M0-9.6C2.2-5.4 9-1.6 9 3.6 9 8 4 9 1.1 5.2 1.2 7.6 2 9 3.8 9.8H-3.8C-2 9-1.2 7.6-1.1 5.2-4 9-9 8-9 3.6-9-1.6-2.2-5.4 0-9.6Z",
  "M0 9.4C-2.6 5.4-9.6 1.4-9.6-3.8-9.6-9.6-2-10.2 0-4.6 2-10.2 9.6-9.6 9.6-3.8 9.6 1.4 2.6 5.4 0 9.4Z",
  "M0-10C2.2-6 5-2.6 8.2 0 5 2.6 2.2 6 0 10-2.2 6-5 2.6-8.2 0-5-2.6-2.2-6 0-10Z",
  "M0-9.6A4.7 4.7 0 0 1 3.4-1.6 4.7 4.7 0 1 1 1.1 4.6C1.2 7.4 2 9 3.8 9.8H-3.8C-2 9-1.2 7.4-1.1 4.6A4.7 4.7 0 1 1-3.4-1.6 4.7 4.7 0 0 1 0-9.6Z",
];
const LEFT = 29, MIDDLE = 50, RIGHT = 71, UPPER = 51, LOWER = 121, HALF = 86;
const SIDES = (...heights) => heights.flatMap((height) => [[LEFT, height], [RIGHT, height]]);
const PIPS = [
  [[MIDDLE, HALF]],
  [[MIDDLE, UPPER], [MIDDLE, LOWER]],
  [[MIDDLE, UPPER], [MIDDLE, HALF], [MIDDLE, LOWER]],
  SIDES(UPPER, LOWER),
  [...SIDES(UPPER, LOWER), [MIDDLE, HALF]],
  SIDES(UPPER, HALF, LOWER),
  [...SIDES(UPPER, HALF, LOWER), [MIDDLE, 68.5]],
  [...SIDES(UPPER, HALF, LOWER), [MIDDLE, 68.5], [MIDDLE, 103.5]],
  [...SIDES(UPPER, 74.3, 97.7, LOWER), [MIDDLE, HALF]],
  [...SIDES(UPPER, 74.3, 97.7, LOWER), [MIDDLE, 62.6], [MIDDLE, 109.4]],
];

const suitMark = (suit, x, y, size, turned = false) =>
  `<path d="${SUIT_PATHS[suit]}" transform="translate(${x} ${y}) scale(${(turned ? -size : size) / 20})"/>`;

// A court figure: a bust in the colour of its suit, with crown, diadem or cap.
function courtDrawing(suit, rank) {
  const skin = "#f0cda5", gold = "#e2ac3a", line = 'stroke="#3a2c1c" stroke-width="1.4" stroke-linejoin="round"';
  const cloth = suit === 1 || suit === 2 ? "#b9233a" : "#2b3f6c", hair = ["#6d4a24", "#a4672a", "#7a7a80"][rank - 10];
  const behind = [
    `<path d="M35 76C33 58 67 58 65 76L67 96H33Z" fill="${hair}"/>`,
    `<path d="M36 74C33 54 67 54 64 74L72 112H28Z" fill="${hair}"/>`,
    `<path d="M36 76C35 58 65 58 64 76L65 92H35Z" fill="${hair}"/>`,
  ][rank - 10];
  const body = `<path d="M21 133C22 108 34 98 50 98S78 108 79 133Z" fill="${cloth}" ${line}/>` +
    `<path d="M39 99L50 114 61 99Z" fill="${gold}" ${line}/>`;
  const head = `<ellipse cx="50" cy="80" rx="12.5" ry="16" fill="${skin}" ${line}/>` +
    '<g fill="#3a2c1c"><circle cx="45" cy="78" r="1.5"/><circle cx="55" cy="78" r="1.5"/></g>' +
    '<path d="M50 80V85M46 89Q50 91.500 54 89" fill="none" stroke="#3a2c1c" stroke-width="1.3"/>';
  const front = [
    `<path d="M32 66C34 46 66 46 68 66Q50 58 32 66Z" fill="${cloth}" ${line}/>` +
      `<path d="M63 56C66 42 78 40 82 44 76 48 70 52 67 62Z" fill="${gold}" ${line}/>`,
    `<path d="M36 64L34 50 43 57 50 44 57 57 66 50 64 64Q50 59 36 64Z" fill="${gold}" ${line}/>` +
      `<g fill="${cloth}"><circle cx="34" cy="49" r="2.400"/><circle cx="50" cy="43" r="2.400"/><circle cx="66" cy="49" r="2.400"/></g>`,
    `<path d="M38 86C39 104 45 109 50 110 55 109 61 104 62 86Q56 95 50 93.500 44 95 38 86Z" fill="${hair}" ${line}/>` +
      `<path d="M34 66L31 46 41 55 50 41 59 55 69 46 66 66Z" fill="${gold}" ${line}/>` +
      `<circle cx="50" cy="60" r="2.600" fill="${cloth}"/>`,
  ][rank - 10];
  return behind + body + head + front + `<g fill="#fff8e6">${suitMark(suit, 50, 124, 13)}</g>`;
}

function faceDrawing(card) {
  const suit = Math.floor(card / 13), rank = card % 13, ink = suit === 1 || suit === 2 ? "#c4152f" : "#16181d";
  const wide = rank === 9;
  let drawing = `<text x="${wide ? 5 : 8}" y="33" font-size="35"${wide ? ' textLength="34" lengthAdjust="spacingAndGlyphs"' : ""}>` +
    `${RANK_TEXTS[rank]}</text>` + suitMark(suit, 78, 20.5, 28);
  const size = rank === 0 ? 62 : 23;
  const middle = rank >= 10 ? courtDrawing(suit, rank)
    : PIPS[rank].map(([x, y]) => suitMark(suit, x, y, size, y > HALF)).join("");
  // Of a card in the fanned waste only the left edge is in sight, so its suit stands there instead.
  drawing += `<g class="middle">${middle}</g><g class="edge">${suitMark(suit, 22, 55, 27)}</g>`;
  return `<g fill="${ink}" font-family="Georgia, 'Times New Roman', serif" font-weight="bold">${drawing}</g>`;
}

const BACK_DRAWING =
  '<rect x="6" y="6" width="88" height="128" rx="6" fill="#274b8f"/>' +
  '<path d="' + Array.from({ length: 24 }, (_, row) => `M6 ${row * 9 - 74}l88 88M94 ${row * 9 - 74}l-88 88`).join("") +
  '" stroke="#6c8fd0" stroke-width="1.300" clip-path="inset(6px)" fill="none"/>' +
  '<rect x="11" y="11" width="78" height="118" rx="4" fill="none" stroke="#e6bd5a" stroke-width="2"/>' +
  '<circle cx="50" cy="70" r="21" fill="#1b3670" stroke="#e6bd5a" stroke-width="2"/>' +
  `<g fill="#e6bd5a">${suitMark(0, 50, 59.500, 13)}${suitMark(1, 60.500, 70, 13)}${suitMark(3, 50, 80.500, 13)}${suitMark(2, 39.500, 70, 13)}</g>`;

const drawing = (content) => `<svg viewBox="0 0 100 140" aria-hidden="true">${content}</svg>`;
const REDEAL_SIGN = '<path d="M66 50A26 26 0 1 0 76 74" fill="none" stroke="currentColor" stroke-width="7"/>' +
  '<path d="M54 42L76 46 66 66Z" fill="currentColor"/>';
const NO_PASS_SIGN = '<g class="no-pass" fill="none" stroke="currentColor" stroke-width="7"><circle cx="50" cy="70" r="26"/>' +
  '<path d="M32 52L68 88"/></g>';

// How far below the first card of a column its last one lies.
const columnReach = (length, faceDown) =>
  Math.min(MAX_REACH, Math.min(faceDown, Math.max(length - 1, 0)) * FACE_DOWN_STEP +
    Math.max(0, length - faceDown - 1) * FACE_UP_STEP);

class Board {
  constructor(root) {
    this.table = element("div", "table");
    this.piles = element("ul", "for-readers", "", { "aria-label": "The table in words" });
    root.append(this.table, this.piles);
    const place = (className, x, y, content) => {
      const made = element("div", "place " + className, "", { "aria-hidden": "true" });
      made.innerHTML = drawing(content);
      this.move(made, x, y);
      this.table.append(made);
      return made;
    };
    this.stockPlace = place("stock", 0, 0, "");
    this.wastePlace = place("waste", COLUMN_STEP, 0, "");
    this.foundationPlaces = [0, 1, 2, 3].map((suit) =>
      place("foundation", (3 + suit) * COLUMN_STEP, 0, `<g fill="currentColor">${suitMark(suit, 50, 70, 46)}</g>`));
    this.columnPlaces = [0, 1, 2, 3, 4, 5, 6].map((column) =>
      place("column", column * COLUMN_STEP, COLUMNS_TOP, '<text x="50" y="82" text-anchor="middle" font-size="36" fill="currentColor">K</text>'));
    this.from = element("div", "from", "", { "aria-hidden": "true" });
    this.table.append(this.from);
    this.cards = Array.from({ length: 52 }, (_, card) => {
      const made = element("div", "card", "", { "aria-hidden": "true" });
      made.innerHTML = drawing("");
      this.table.append(made);
      return made;
    });
    this.faces = Array.from({ length: 52 }, () => null);
  }

  move(made, x, y) {
    made.style.setProperty("--x", x.toFixed(3));
    made.style.setProperty("--y", y.toFixed(3));
  }

  setHeight(reach) {
    this.table.style.setProperty("--height", (COLUMNS_TOP + CARD_HEIGHT + Math.max(reach, 22) + 1).toFixed(2));
  }

  // Where each card lies: its pile, its place in it from the bottom, whether its face is in sight, and the point.
  places(frame) {
    const places = new Array(52);
    frame.stock.forEach((card, place) => {
      places[card] = { pile: "stock", at: place, up: false, x: 0, y: 0, z: frame.stock.length - place, covered: place > 0, fanned: false };
    });
    const fanStart = frame.waste.length - frame.inSight;
    frame.waste.forEach((card, place) => {
      const x = COLUMN_STEP + Math.max(0, place - fanStart) * FAN_STEP;
      places[card] = { pile: "waste", at: place, up: place >= fanStart, x, y: 0, z: place + 1, covered: place < fanStart,
        fanned: place >= fanStart && place < frame.waste.length - 1 };
    });
    frame.foundations.forEach((height, suit) => {
      for (let rank = 0; rank < height; rank++) {
        const x = (3 + suit) * COLUMN_STEP;
        places[13 * suit + rank] = { pile: SUIT_NAMES[suit], at: rank, up: true, x, y: 0, z: rank + 1, covered: rank < height - 1, fanned: false };
      }
    });
    frame.columns.forEach((cards, column) => {
      const faceDown = frame.faceDown[column];
      const full = faceDown * FACE_DOWN_STEP + Math.max(0, cards.length - faceDown - 1) * FACE_UP_STEP;
      const scale = full > MAX_REACH ? MAX_REACH / full : 1;
      cards.forEach((card, at) => {
        const below = Math.min(at, faceDown) * FACE_DOWN_STEP + Math.max(0, at - faceDown) * FACE_UP_STEP;
        const y = COLUMNS_TOP + scale * below;
        places[card] = { pile: "column " + (column + 1), at, up: at >= faceDown, x: column * COLUMN_STEP, y, z: at + 1,
          covered: false, fanned: false };
      });
    });
    return places;
  }

  // Draw a step. `before` is the step before, whose differences are marked; `outlined` the cards that can move.
  show(frame, before, { showHidden, outlined, stockOutlined }) {
    const places = this.places(frame), old = before ? this.places(before) : places;
    let start = null;
    places.forEach((place, card) => {
      const made = this.cards[card], was = old[card];
      const moved = place.pile !== was.pile;
      if (moved && (start === null || was.at < start.at)) start = was;
      this.move(made, place.x, place.y);
      made.style.zIndex = place.z + (moved ? 100 : 0);
      this.setFace(card, place.up || showHidden ? card : -1);
      made.classList.toggle("moved", moved && place.pile !== "stock");
      made.classList.toggle("turned-up", !moved && place.up && !was.up && place.pile !== "waste");
      made.classList.toggle("hidden-face", !place.up);
      made.classList.toggle("covered", place.covered);
      made.classList.toggle("fanned", place.fanned);
      made.classList.toggle("can-move", outlined.has(card));
      made.dataset.pile = place.pile;
      made.dataset.at = place.at;
      made.dataset.up = place.up;
    });
    this.from.hidden = start === null;
    if (start) this.move(this.from, start.x, start.y);
    this.showStockSign(frame);
    this.stockPlace.classList.toggle("can-move", stockOutlined && !frame.stock.length);
    if (stockOutlined && frame.stock.length) this.cards[frame.stock[0]].classList.add("can-move");
    this.table.classList.toggle("won", frame.isWon);
    this.writePiles(frame);
  }

  setFace(card, face) {
    if (this.faces[card] === face) return;
    this.faces[card] = face;
    const made = this.cards[card];
    made.firstChild.innerHTML = face < 0 ? BACK_DRAWING : faceDrawing(face);
    made.dataset.face = face < 0 ? "" : cardText(face);
  }

  showStockSign(frame) {
    const sign = frame.stock.length ? "" : frame.canRedeal ? "redeal" : frame.waste.length ? "no pass" : "";
    if (this.stockPlace.dataset.sign === sign) return;
    this.stockPlace.dataset.sign = sign;
    this.stockPlace.firstChild.innerHTML = sign === "redeal" ? REDEAL_SIGN : sign === "no pass" ? NO_PASS_SIGN : "";
  }

  // The table as sentences, for those who hear the page.
  writePiles(frame) {
    const names = (cards) => cards.map(cardName).join(", ");
    const inSight = frame.waste.slice(frame.waste.length - frame.inSight);
    const stockEnd = frame.canRedeal ? "empty, can be redealt" : frame.waste.length ? "empty, no pass left" : "empty";
    const lines = [
      "Stock: " + (frame.stock.length ? frame.stock.length + " cards" : stockEnd),
      "Waste: " + (frame.waste.length ? `${frame.waste.length} cards, in sight ${names(inSight)}` : "empty"),
      ...frame.foundations.map((height, suit) =>
        `Foundation of ${SUIT_NAMES[suit]}: ` + (height ? cardName(13 * suit + height - 1) : "empty")),
      ...frame.columns.map((cards, column) => {
        const down = frame.faceDown[column];
        const parts = [down ? `${down} face down` : "", names(cards.slice(down))].filter(Boolean);
        return `Column ${column + 1}: ${parts.join(", ") || "empty"}`;
      }),
    ];
    this.piles.replaceChildren(...lines.map((line) => element("li", "", line)));
  }
}
