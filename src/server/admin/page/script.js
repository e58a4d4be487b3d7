// Draws what v1/stream says, once a second. Whatever came from outside goes in by textContent and by numbers only.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const make = (name, className = "", text = "") => {
    const node = document.createElement(name);
    node.className = className;
    node.textContent = text;
    return node;
  };

  // Numbers for people. Unknown ones are a dash.
  const known = (value) => typeof value === "number" && Number.isFinite(value);
  const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
  const count = (value) => !known(value) ? "–" : value < 1e7 ? grouped.format(value) : short.format(value);
  const rate = (value) => !known(value) ? "–" : value > 0 && value < 9.95 ? value.toFixed(1) : count(value);
  // One digit more near nothing, and two near all: 99.7 % is not 100 %.
  const percent = (share) => !known(share) ? "–"
    : (share > 0 && share < 0.0995 ? (share * 100).toFixed(1) : share > 0.99 && share < 1 ? (Math.floor(share * 10000) / 100).toFixed(2) : Math.round(share * 100)) + " %";
  const micros = (us) => !known(us) ? "–" : us < 1000 ? Math.round(us) + " µs" : us < 1e6 ? (us / 1000).toPrecision(3) + " ms" : (us / 1e6).toPrecision(3) + " s";
  const millis = (ms) => known(ms) ? micros(ms * 1000) : "–";
  const span = (s) => s < 120 ? Math.floor(s) + " s" : s < 7200 ? Math.floor(s / 60) + " min" : s < 172800 ? Math.floor(s / 3600) + " h" : Math.floor(s / 86400) + " days";
  const clock = (ms) => {
    const time = new Date(ms);
    const today = time.toDateString() === new Date().toDateString();
    return (today ? "" : time.toLocaleDateString() + " ") + time.toLocaleTimeString([], { hourCycle: "h23" });
  };

  // Tables keep their nodes, so that a selection or a reader's place outlives an update. Each column is a function that
  // paints a cell; the first is the row's heading.
  const fill = (id, items, columns) => {
    const table = byId(id);
    const body = table.tBodies[0];
    while (body.rows.length > items.length) body.deleteRow(-1);
    items.forEach((item, at) => {
      const row = body.rows[at] || addRow(table, body, columns.length);
      columns.forEach((paint, column) => paint(row.cells[column], item));
    });
    table.hidden = items.length === 0;
    byId(id + "-empty").hidden = items.length > 0;
  };
  // The roles are those that the elements have by themselves; narrow screens lay rows out as grids, which takes them away.
  const addRow = (table, body, columns) => {
    const heads = table.tHead.rows[0].cells;
    const row = body.insertRow();
    row.setAttribute("role", "row");
    for (let column = 0; column < columns; ++column) {
      const cell = make(column === 0 ? "th" : "td", heads[column].className);
      if (column === 0) cell.scope = "row";
      cell.setAttribute("role", column === 0 ? "rowheader" : "cell");
      cell.dataset.label = heads[column].textContent;
      row.append(cell);
    }
    return row;
  };
  for (const table of document.querySelectorAll("table")) {
    table.setAttribute("role", "table");
    for (const part of table.querySelectorAll("thead, tbody")) part.setAttribute("role", "rowgroup");
    table.tHead.rows[0].setAttribute("role", "row");
    for (const head of table.tHead.rows[0].cells) head.setAttribute("role", "columnheader");
  }
  // Two lines of text; `tone` is hot (denied), warm (degraded) or nothing.
  const lines = (cell, main, sub = "", tone = "", tags = [], mainClass = "") => {
    if (!cell.firstChild) cell.append(make("span"), make("span"), make("span", "sub"));
    const [first, second, third] = cell.children;
    put(first, main);
    first.className = (tone + " " + mainClass).trim();
    if (second.textContent !== tags.join("")) second.replaceChildren(...tags.map((tag) => make("span", "tag", tag)));
    put(third, sub);
    third.hidden = sub === "";
  };
  const meter = (cell, label, share, warnAt) => {
    if (!cell.firstChild) {
      const bar = make("div", "meter");
      bar.setAttribute("role", "meter");
      bar.setAttribute("aria-valuemin", "0");
      bar.setAttribute("aria-valuemax", "100");
      bar.append(make("div", "fill"), make("div", "mark-at"));
      cell.append(bar, make("span"));
    }
    const [bar, text] = cell.children;
    const [filled, mark] = bar.children;
    const shown = known(share) ? Math.min(100, Math.max(0, share * 100)) : 0;
    const full = known(share) && share >= 0.9995;
    const near = !full && known(share) && known(warnAt) && warnAt > 0 && share >= warnAt;
    const words = !known(share) ? "not asked" : percent(share) + (full ? ", at the limit" : near ? ", near the limit" : "");
    put(text, words);
    text.className = full ? "hot" : near ? "warm" : "quiet";
    filled.className = "fill" + (full ? " full" : near ? " near" : "");
    filled.style.width = shown + "%";
    mark.hidden = !(known(warnAt) && warnAt > 0 && warnAt < 1);
    if (!mark.hidden) mark.style.left = warnAt * 100 + "%";
    bar.setAttribute("aria-label", label);
    bar.setAttribute("aria-valuenow", String(Math.round(shown)));
    bar.setAttribute("aria-valuetext", words);
  };
  const number = (name, tone = "") => (cell, item) => lines(cell, count(item[name]), "", item[name] > 0 ? tone : "");

  const ruleColumns = [
    (cell, r) => lines(cell, r.name, r.match, "", r.shadow ? ["shadow"] : []),
    (cell, r) => lines(cell, r.limit + (known(r.burst) ? ", burst " + count(r.burst) : ""),
      String(r.algorithm).replace(/_/g, " ") + " · " + r.mode + " · " + r.on_store_failure + " on failure"),
    (cell, r) => meter(cell, "Used share of " + r.name, r.used_share, r.warn_at),
    (cell, r) => lines(cell, count(r.allowed), rate(r.allowed_rate) + "/s"),
    (cell, r) => lines(cell, count(r.denied), rate(r.denied_rate) + "/s", r.denied_rate > 0 ? "hot" : ""),
    (cell, r) => lines(cell, percent(r.blocked_share), "", r.blocked_share >= 0.1 ? "hot" : ""),
    number("near_limit"),
    number("shadow_denied"),
    number("early_returns"),
    number("degraded", "warm"),
  ];
  const keyColumns = [
    (cell, k) => lines(cell, k.key, k.rule, "", [], "key-text"),
    (cell, k) => lines(cell, count(k.count), k.error > 0 ? "at least " + count(k.count - k.error) : ""),
    (cell, k) => lines(cell, rate(k.rate) + (known(k.rate) ? "/s" : "")),
  ];
  const shardColumns = [
    (cell, s) => lines(cell, s.name, s.master ? "master " + s.master : ""),
    (cell, s) => {
      if (!cell.firstChild) cell.append(make("span"));
      put(cell.firstChild, s.serving ? "serving" : "not serving");
      cell.firstChild.className = "state" + (s.serving ? "" : " bad");
    },
    (cell, s) => lines(cell, millis(s.p50_ms)),
    (cell, s) => lines(cell, millis(s.p99_ms)),
    number("requests"),
    number("errors"),
    number("timeouts"),
    number("lost"),
    number("generation"),
  ];
  const eventColumns = [
    (cell, e) => {
      if (!cell.firstChild) cell.append(make("time"));
      put(cell.firstChild, clock(e.time_ms));
      cell.firstChild.dateTime = new Date(e.time_ms).toISOString();
    },
    (cell, e) => {
      if (!cell.firstChild) cell.append(make("span"));
      put(cell.firstChild, String(e.kind).replace(/_/g, " "));
      cell.firstChild.className = "level " + ({ warn: "warn", error: "bad" }[e.level] || "info");
    },
    (cell, e) => lines(cell, e.message, [e.rule && "rule " + e.rule, e.key && "key " + e.key, known(e.count) && count(e.count) + " times"].filter(Boolean).join(" · ")),
  ];

  const facts = (id, pairs) => {
    const list = byId(id);
    while (list.children.length > pairs.length * 2) list.lastChild.remove();
    pairs.forEach(([name, value], at) => {
      if (!list.children[at * 2]) list.append(make("dt"), make("dd"));
      put(list.children[at * 2], name);
      put(list.children[at * 2 + 1], value);
    });
  };

  // The chart.
  let history = null;
  let nothingYet = true;
  let cursor = null;  // seconds before the end; null: the summary is shown
  const sum = (list) => list.reduce((total, value) => total + value, 0);
  const nice = (value) => {
    const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
    return unit * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= value);
  };
  const plotHeight = 160;  // the rest of the drawing is the strip of degraded seconds
  let width = 0;
  const steps = (tops, bottoms) => {
    const x = (at) => (at * width / tops.length).toFixed(1);
    const there = tops.map((y, at) => "L" + x(at) + " " + y + "L" + x(at + 1) + " " + y).join("");
    const back = bottoms.map((y, at) => "L" + x(at + 1) + " " + y + "L" + x(at) + " " + y).reverse().join("");
    return "M0 " + bottoms[0] + there + back + "Z";
  };
  const drawChart = () => {
    if (!history || history.allowed.length === 0) return;
    const { allowed, denied, degraded } = history;
    const top = Math.max(4, nice(Math.max(...allowed.map((value, at) => value + denied[at]))));
    const y = (value) => (plotHeight - value / top * plotHeight).toFixed(1);
    const floor = allowed.map(() => plotHeight);
    const lower = allowed.map(y);
    width = byId("seek").clientWidth;
    byId("chart").setAttribute("viewBox", "0 0 " + width + " 168");
    byId("grid").setAttribute("d", "M0 .5H" + width + "M0 80.5H" + width + "M0 160.5H" + width);
    byId("area-allowed").setAttribute("d", sum(allowed) > 0 ? steps(lower, floor) : "");
    byId("area-denied").setAttribute("d", sum(denied) > 0 ? steps(allowed.map((value, at) => y(value + denied[at])), lower) : "");
    const step = width / allowed.length;
    byId("area-degraded").setAttribute("d", degraded.map((value, at) => value > 0 ? "M" + (at * step).toFixed(1) + " 163h" + step.toFixed(1) + "v4h-" + step.toFixed(1) + "z" : "").join(""));
    put(byId("tick-top"), count(top));
    put(byId("tick-mid"), count(top / 2));
    describeChart(allowed.length);
  };
  const describeChart = (size) => {
    const at = cursor === null ? -1 : Math.max(0, size - 1 - cursor);
    byId("cursor").setAttribute("d", at < 0 ? "" : "M" + ((at + 0.5) * width / size).toFixed(1) + " 0V168");
    const total = ["allowed", "denied", "degraded"].map((name) => at < 0 ? sum(history[name]) : history[name][at]);
    const when = at < 0 ? "Last " + span(size * history.step_s) : clock((history.end_s - (size - 1 - at) * history.step_s) * 1000);
    const asked = total[0] + total[1];
    const words = nothingYet ? "No requests yet. Try: sluicectl check user=123" : asked + total[2] === 0 ? when + ": no requests"
      : when + ": " + count(total[0]) + " allowed, " + count(total[1]) + " denied (" + percent(total[1] / Math.max(asked, 1)) + ")"
        + (total[2] > 0 ? ", " + count(total[2]) + " answered by the failure policy" : "");
    put(byId("chart-text"), words);
    const seek = byId("seek");
    seek.setAttribute("aria-valuemin", String(1 - size));
    seek.setAttribute("aria-valuenow", String(-(cursor || 0)));
    seek.setAttribute("aria-valuetext", words);
  };
  const look = (secondsBefore) => {
    if (!history) return;
    const size = history.allowed.length;
    cursor = secondsBefore === null ? null : Math.min(size - 1, Math.max(0, secondsBefore));
    describeChart(size);
  };
  addEventListener("resize", drawChart);
  const seek = byId("seek");
  seek.addEventListener("pointermove", (event) => {
    const box = seek.getBoundingClientRect();
    if (history) look(history.allowed.length - 1 - Math.floor((event.clientX - box.left) / box.width * history.allowed.length));
  });
  seek.addEventListener("pointerleave", () => look(null));
  seek.addEventListener("blur", () => look(null));
  seek.addEventListener("keydown", (event) => {
    const now = cursor === null ? 0 : cursor;
    const to = { ArrowLeft: now + 1, ArrowDown: now + 1, ArrowRight: now - 1, ArrowUp: now - 1, PageDown: now + 10, PageUp: now - 10, Home: 1e9, End: 0, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    look(to);
  });

  // What needs attention, said once to who listens: only changes reach the live region.
  let said = "";
  const troublesOf = (stats) => {
    const found = [];
    const away = stats.store.shards.filter((shard) => !shard.serving);
    if (away.length > 0) {
      found.push(["bad", "Store not serving: " + away.slice(0, 4).map((shard) => shard.name).join(", ") + (away.length > 4 ? " and " + (away.length - 4) + " more" : "") + ".",
        "Leased tokens go on being given; after that, each rule's on_store_failure answers. See that the server runs and can be reached from here; Sluice reconnects by itself."]);
    }
    if (!stats.health.healthy || !stats.health.ready) found.push(["bad", stats.health.healthy ? "Not ready." : "Not healthy.", stats.health.reason || ""]);
    const last = stats.config.last;
    if (last && !last.ok) {
      found.push(["warn", "The last reload was refused; the rules before it go on.",
        (last.problem || "") + " Mend " + stats.config.file + "; sluicectl config check names every fault."]);
    }
    return found;
  };
  let link = "connecting";
  let troubles = [];
  const showNotices = () => {
    const all = link === "lost" ? [["bad", "Connection lost, retrying.", latest ? "The numbers are those of " + clock(latest.time_ms) + "." : "The daemon does not answer. See that it runs."], ...troubles] : troubles;
    const key = JSON.stringify(all);
    if (key !== byId("notices").dataset.key) {
      byId("notices").dataset.key = key;
      byId("notices").replaceChildren(...all.map(([tone, title, text]) => {
        const notice = make("p", "notice " + tone);
        const words = make("span");
        words.append(make("b", "", title), text);
        notice.append(words);
        return notice;
      }));
    }
    const headline = all.map((each) => each[1]).join(" ");
    if (headline !== said) put(byId("news"), headline || "All is well again.");
    said = headline;
    document.title = (all.length > 0 ? "(!) " : "") + "Sluice";
    const state = byId("link");
    put(state, { live: "live", lost: "connection lost, retrying", connecting: "connecting" }[link]);
    state.className = "state" + ({ lost: " bad", connecting: " warn" }[link] || "");
  };

  let latest = null;
  const showNow = (stats) => {
    for (const name of ["allowed", "denied", "near_limit", "shadow_denied", "degraded"]) {
      const node = byId("now-" + name);
      put(node, rate(stats.rates[name]) + "/s");
      node.className = stats.rates[name] > 0 ? { denied: "hot", degraded: "warm" }[name] || "" : "";
      put(byId("sum-" + name), count(stats.totals[name]) + " in all");
    }
    const share = stats.rates.denied / (stats.rates.allowed + stats.rates.denied);
    if (stats.rates.denied > 0) put(byId("sum-denied"), count(stats.totals.denied) + " in all, now " + percent(share));
    put(byId("now-latency"), micros(stats.latency.local.p99_us));
    put(byId("sum-latency"), "from memory; " + micros(stats.latency.waited.p99_us) + " when the store was asked");
  };
  const show = (stats) => {
    const asked = sum(["allowed", "denied", "bypassed", "unmatched"].map((name) => stats.totals[name]));
    put(byId("about"), location.host + " · version " + stats.version + " · pid " + stats.pid + " · up " + span(stats.uptime_s));
    const well = stats.health.healthy && stats.health.ready;
    put(byId("health"), well ? (stats.store.shards.every((shard) => shard.serving) ? "healthy" : "store away") : stats.health.healthy ? "not ready" : "not healthy");
    byId("health").className = "state" + (!well ? " bad" : byId("health").textContent === "healthy" ? "" : " warn");
    showNow(stats);
    history = stats.history;
    nothingYet = asked === 0;
    put(byId("rules-note"), asked === 0 ? "waiting for the first request"
      : [stats.totals.bypassed > 0 && count(stats.totals.bypassed) + " bypassed", stats.totals.unmatched > 0 && count(stats.totals.unmatched) + " matched no rule",
        stats.totals.early_returns > 0 && count(stats.totals.early_returns) + " came back too early", stats.rules_omitted > 0 && count(stats.rules_omitted) + " rules more than are shown"].filter(Boolean).join(" · "));
    fill("rules", stats.rules, ruleColumns);
    put(byId("rules-empty"), "No rules: everything is allowed. Add a [[rule]] to " + stats.config.file + " and it takes effect at once.");
    fill("busiest", stats.top.busiest, keyColumns);
    fill("denied", stats.top.denied, keyColumns);
    const store = stats.store;
    put(byId("shards-note"), store.kind + (known(store.fleet) ? " · " + count(store.fleet) + (store.fleet === 1 ? " daemon" : " daemons") + " in the fleet" : ""));
    fill("shards", store.shards, shardColumns);
    const leases = stats.leases;
    facts("leases", [["Answered from memory, last minute", percent(leases.hit_share)], ["Keys held", count(leases.keys) + " of " + count(leases.max_keys)],
      ["Store operations per check", known(leases.operations_per_check) ? Number(leases.operations_per_check.toPrecision(2)).toString() : "–"], ["Checks waiting", count(leases.waiting)],
      ["Tokens granted", count(leases.tokens_granted)], ["Tokens returned", count(leases.tokens_returned)], ["Tokens lapsed", count(leases.tokens_lapsed)],
      ["Mean lease", known(leases.mean_size) ? rate(leases.mean_size) + " tokens" : "–"], ["Keys evicted", count(leases.evicted)], ["Keys refused", count(leases.refused)]]);
    const config = stats.config;
    facts("config", [["File", config.file || "–"], ["Reloads", count(config.reloads) + (config.refused > 0 ? ", " + count(config.refused) + " refused" : "")],
      ["Last reload", config.last ? clock(config.last.time_ms) + (config.last.ok ? "" : ", refused") : "none yet"],
      ["Connections", count(stats.connections.open) + " of " + count(stats.connections.max)], ["Connections refused", count(stats.connections.refused)], ["Largest loop lag", millis(stats.health.loop_lag_ms)]]);
    fill("events", stats.events, eventColumns);
    byId("main").hidden = false;
    drawChart();
  };

  // The stream. A hidden page lets go of its place; the history that comes with each event closes the gap.
  let source = null;
  let patience = 0;
  const lost = () => {
    link = "lost";
    showNotices();
  };
  const waitForEvent = () => {
    clearTimeout(patience);
    patience = setTimeout(() => {
      lost();
      listen();
    }, 6000);
  };
  const listen = () => {
    if (source) source.close();
    source = new EventSource("v1/stream");
    waitForEvent();
    source.addEventListener("error", lost);
    source.addEventListener("stats", (event) => {
      waitForEvent();
      link = "live";
      try {
        const stats = JSON.parse(event.data);
        show(stats);
        latest = stats;
        troubles = troublesOf(stats);
      } catch (fault) {
        troubles = [["bad", "This page cannot read the daemon's answer.", "Load it anew: the daemon may have another version by now. (" + fault.message + ")"]];
      }
      showNotices();
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(patience);
      source.close();
    } else {
      listen();
    }
  });
  listen();
})();
