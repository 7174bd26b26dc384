// Recomputes a comparison with other weights: the rules of protocols/compare.py in exact integers, and the sentences
// of reports/compare/view.py. A test checks that both give the same results as the server.

const PLACES = 24n;
const ONE = 10n ** PLACES;
const FIRST = { ab: "A first", ba: "B first" };

/** Parse a decimal number into an integer in units of 10^-24. */
export function decimal(text) {
  const [, sign, whole, part] = /^([-−]?)(\d*)\.?(\d*)$/.exec(text.trim());
  const value = BigInt(whole || "0") * ONE + BigInt(part.padEnd(Number(PLACES), "0"));
  return sign ? -value : value;
}

const size = value => (value < 0n ? -value : value);

/** Format an integer in units of 10^-places, without trailing zeros and with a real minus sign. */
function written(value, places) {
  const digits = size(value).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  return (value < 0n ? "−" : "") + whole + (part ? "." + part : "");
}

/** Format a fraction with at most four places, rounded half to even. */
function rounded(above, below) {
  let whole = size(above) * 10000n / below;
  const rest = size(above) * 10000n % below;
  if (2n * rest > below || (2n * rest === below && whole % 2n)) whole += 1n;
  return written(above < 0n ? -whole : whole, 4);
}

/** Format a fraction with at most this many places, rounded half up. */
function short(above, below, places) {
  const near = (2n * size(above) * 10n ** BigInt(places) + below) / (2n * below);
  return written(above < 0n ? -near : near, places);
}

function oneOrder(lead, isClose, preference) {
  if (lead === 0n) return { winner: "tie", rule: "equal_totals" };
  if (isClose(lead) && preference === "tie") return { winner: "tie", rule: "judge_prefers_tie" };
  return { winner: lead > 0n ? "A" : "B", rule: "higher_total" };
}

function bothOrders(named, lead, isClose) {
  if (new Set(named.map(each => each.winner)).size === 1) {
    return new Set(named.map(each => each.rule)).size === 1 ? named[0] : { winner: "tie", rule: "both_orders_tie" };
  }
  if (isClose(lead)) return { winner: "tie", rule: "orders_disagree" };
  return { winner: lead > 0n ? "A" : "B", rule: "averaged_totals" };
}

const called = winner => (winner === "tie" ? "a tie" : winner);

/** Return everything that depends on the weights (criterion → text), or null if all weights are zero. */
export function decide(figures, given) {
  const weights = Object.fromEntries(Object.entries(given).map(([key, text]) => [key, decimal(text)]));
  const keys = Object.keys(weights);
  const whole = keys.reduce((sum, key) => sum + weights[key], 0n);
  if (whole === 0n) return null;
  // Scores are whole numbers of 1 / unit, so totals are whole numbers of 1 / (unit × ONE). Divided by `one` they are
  // normalised.
  const total = (scores, at) => keys.reduce((sum, key) => sum + BigInt(scores[key][at]) * weights[key], 0n);
  const unit = BigInt(figures.unit), one = unit * whole;
  const isClose = lead => size(lead) * ONE < decimal(figures.band) * one;
  const orders = figures.orders.map(({ order, preference, rationale, scores }) => {
    const totals = [total(scores, 0), total(scores, 1)];
    const named = figures.identical ? { winner: "tie", rule: "identical" } : oneOrder(totals[0] - totals[1], isClose, preference);
    return { order, preference, rationale, totals, ...named };
  });
  const totals = [total(figures.scores, 0), total(figures.scores, 1)];
  const lead = totals[0] - totals[1];
  const { winner, rule } = bothOrders(orders, lead, isClose);
  const result = { winner, rule, orders, lead, one, close: isClose(lead), decided: figures.decided, band: figures.band };
  const low = decimal(figures.low), high = decimal(figures.high);
  return {
    winner,
    headline: headline(result),
    rationale: rationale(result),
    decision: decision(result),
    order: order(result, figures.seed),
    differ: new Set(orders.map(each => each.winner)).size > 1,
    margin: apart(result),
    badge: badge(result),
    totals: totals.map(each => rounded(each, unit * ONE)),
    scores: totals.map(each => short(each, one, 1)),
    shares: totals.map(each => Number(each * ONE / one - low) / Number(high - low)),
    parts: Object.fromEntries(keys.map(key => [key, `${(200n * weights[key] + whole) / (2n * whole)}\u00a0%`])),
  };
}

function headline({ winner, decided }) {
  if (decided) return winner === "tie" ? "It is a tie" : `Response ${winner} wins`;
  return `Undecided; the best guess is ${winner === "tie" ? "a tie" : `response ${winner}`}`;
}

function badge({ rule, orders }) {
  if (rule === "identical") return "identical responses";
  if (orders.length === 1) return "one order only";
  return new Set(orders.map(each => each.winner)).size > 1 ? "orders differ" : "orders agree";
}

function rationale({ winner, rule, orders, band }) {
  const own = orders.find(each => each.winner === winner && each.preference === winner && each.rationale);
  if (own) return own.rationale;
  return {
    identical: "The two responses are identical, so it is a tie.",
    orders_disagree: `The two orders do not name the same winner and the totals are less than ${band} apart: it is a tie.`,
    averaged_totals: `The two orders do not name the same winner; averaged over both, Response ${winner} has the higher weighted total, by ${band} or more.`,
    higher_total: `Response ${winner} has the higher weighted total.`,
    equal_totals: "The weighted totals are equal, so it is a tie.",
  }[rule] ?? `The weighted totals are less than ${band} apart and the judge prefers neither, so it is a tie.`;
}

/** Format the margin. Below the band it is cut instead of rounded, so that it never looks like the band. */
function apart({ lead, one, close }) {
  if (!close) return short(size(lead), one, 1);
  const hundredths = 100n * size(lead) / one;
  return lead && !hundredths ? "less than 0.01" : written(hundredths, 2);
}

function decision(result) {
  const { winner, rule, orders, lead, close, decided, band } = result;
  if (rule === "identical") return "The responses are identical, so it is a tie with any weights.";
  const tie = winner === "tie", equal = lead === 0n;
  const far = equal ? "The weighted totals are equal" : `The normalised totals are ${apart(result)} apart`;
  const so = decided
    ? (tie ? "so it is a tie" : "the higher one wins")
    : (tie ? "so the best guess is a tie" : "the higher one is the best guess");
  if (new Set(orders.map(each => each.winner)).size > 1) {
    const found = equal ? far : `${far}, ${close ? "closer than" : "at least"} ${band}`;
    return `The orders differ, so the averaged scores decide: ${found[0].toLowerCase()}${found.slice(1)}${tie ? ", " : "; "}${so}.`;
  }
  if (!tie) return `${far}; ${so}.`;
  if (equal) return `${far}, ${so}.`;
  const who = orders.length > 1 ? "both orders call it a tie" : "the judge itself prefers neither answer";
  return `${far}, and ${who}${decided ? "" : `, ${so}`}.`;
}

function order({ rule, orders, one }, seed) {
  if (orders.length === 1) {
    const drawn = seed === null ? "" : `, drawn from seed ${seed}`;
    const judged = `Judged in one order only (${FIRST[orders[0].order]}${drawn})`;
    return rule === "identical" ? `${judged}: between identical responses the order cannot matter.` : `${judged}, so whether the order matters is not known.`;
  }
  const winner = orders[0].winner;
  const named = new Set(orders.map(each => each.winner)).size > 1
    ? `which differ: ${orders.map(each => `${called(each.winner)} with ${FIRST[each.order]}`).join(", ")}`
    : (winner === "tie" ? "and both call it a tie" : `and both name ${winner}`);
  const [ab, ba] = ["ab", "ba"].map(name => orders.find(each => each.order === name));
  const moved = [0, 1].map(at => ba.totals[at] - ab.totals[at]);
  if (!moved[0] && !moved[1]) return `Judged in both orders, ${named}. No total moved.`;
  const steps = moved.map((step, at) => {
    const shown = short(step, one, 2);
    return `${step > 0n && shown !== "0" ? "+" : ""}${shown} for ${"AB"[at]}`;
  });
  return `Judged in both orders, ${named}. From one to the other the normalised totals moved by ${steps.join(" and ")}.`;
}
