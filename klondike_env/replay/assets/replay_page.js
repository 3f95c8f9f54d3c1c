"use strict";
// The replay page: a list of games and the player. The address keeps game and step: #12/40.

(() => {
  const data = readData();
  if (!data.games.length) return;
  if (typeof DecompressionStream === "undefined") {
    byId("player").textContent = "This browser is too old to unpack the games; any browser of 2023 or later can.";
    return;
  }
  let list = null;
  const player = new Player(data, {
    neighbour: (index, by) => (list ? list.neighbour(index, by) : null),
    opened: (index) => list?.mark(index),
    address: keepAddress,
  });
  if (data.games.length > 1) {
    list = new GameList(data, (index) => {
      player.open(index);
      if (narrow.matches) showList(false);
    });
  }
  const narrow = window.matchMedia("(max-width: 1000px)");
  const showList = (shown) => {
    document.body.classList.toggle("list-closed", !shown);
    byId("toggle-list").setAttribute("aria-expanded", String(shown));
  };
  byId("toggle-list").hidden = !list;
  byId("toggle-list").addEventListener("click", () => showList(document.body.classList.contains("list-closed")));
  showList(Boolean(list) && !narrow.matches);

  let writing = null;
  function keepAddress(index, step) {
    // Browsers allow few changes of the address a second.
    clearTimeout(writing);
    writing = setTimeout(() => {
      try {
        history.replaceState(null, "", `#${index + 1}/${step}`);
      } catch { /* A page that may not change its address works all the same. */ }
    }, 300);
  }
  function openAddress() {
    const [index, step] = location.hash.slice(1).split("/").map(Number);
    const found = Number.isInteger(index) && index >= 1 && index <= data.games.length;
    return player.open(found ? index - 1 : 0, found && Number.isInteger(step) ? step : 0);
  }
  window.addEventListener("hashchange", openAddress);
  openAddress();
})();
