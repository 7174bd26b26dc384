// Recomputes a comparison with other weights: the rules of protocols/compare.py in exact integers, and the sentences
// of reports/compare/__init__.py. A test checks that both give the same results as the server.

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

/** Round a fraction to 10^-4, half to even; the result is in units of 10^-4. */
function rounded(above, below) {
  let whole = size(above) * 10000n / below;
  const rest = size(above) * 10000n % below;
  if (2n * rest > below || (2n * rest === below && whole % 2n)) whole += 1n;
  return above < 0n ? -whole : whole;
}

/** Format a number given in units of 10^-4 with this many places, rounded half up. */
function short(value, places) {
  const step = 10n ** BigInt(4 - places);
  const near = (size(value) + step / 2n) / step;
  return written(value < 0n ? -near : near, places);
}

function oneOrder(apart, limit, preference) {
  if (apart === 0n) return { winner: "tie", rule: "equal_totals" };
  if (size(apart) < limit && preference === "tie") return { winner: "tie", rule: "judge_prefers_tie" };
  return { winner: apart > 0n ? "A" : "B", rule: "higher_total" };
}

function bothOrders(named, sum, limit) {
  if (new Set(named.map(each => each.winner)).size === 1) {
    return new Set(named.map(each => each.rule)).size === 1 ? named[0] : { winner: "tie", rule: "both_orders_tie" };
  }
  if (size(sum) < limit * BigInt(named.length)) return { winner: "tie", rule: "orders_disagree" };
  return { winner: sum > 0n ? "A" : "B", rule: "averaged_totals" };
}

const called = winner => (winner === "tie" ? "a tie" : winner);

/** Return everything that depends on the weights (criterion → text), or null if all weights are zero. */
export function decide(figures, given) {
  const weights = Object.fromEntries(Object.entries(given).map(([key, text]) => [key, decimal(text)]));
  const keys = Object.keys(weights);
  const whole = keys.reduce((sum, key) => sum + weights[key], 0n);
  if (whole === 0n) return null;
  const total = (scores, at) => keys.reduce((sum, key) => sum + decimal(scores[key][at]) * weights[key], 0n);
  const band = decimal(figures.band);
  const limit = band * whole;
  const orders = figures.orders.map(({ order, preference, rationale, scores }) => {
    const totals = [total(scores, 0), total(scores, 1)];
    const apart = totals[0] - totals[1];
    return { order, preference, rationale, totals, apart, ...oneOrder(apart, limit, preference) };
  });
  const sum = orders.reduce((all, each) => all + each.apart, 0n);
  const { winner, rule } = bothOrders(orders, sum, limit);
  const totals = [total(figures.scores, 0), total(figures.scores, 1)];
  const normalized = totals.map(each => rounded(each, whole * ONE));
  // Truncate instead of rounding, so that a margin below the band is never shown as equal to it.
  const margin = size(sum) * 10000n / (whole * ONE * BigInt(orders.length));
  const result = { winner, rule, orders, totals, margin, decided: figures.decided, band, bandText: figures.band };
  const low = decimal(figures.low), high = decimal(figures.high);
  return {
    winner,
    headline: headline(result),
    rationale: rationale(result),
    decision: decision(result),
    order: order(result, whole, figures.seed),
    differ: new Set(orders.map(each => each.winner)).size > 1,
    margin: apart(result),
    badge: orders.length === 1 ? "one order only" : new Set(orders.map(each => each.winner)).size > 1 ? "orders differ" : "orders agree",
    totals: totals.map(each => written(each, 48)),
    scores: normalized.map(each => short(each, 1)),
    shares: normalized.map(each => Number(each * ONE / 10000n - low) / Number(high - low)),
    parts: Object.fromEntries(keys.map(key => [key, `${(200n * weights[key] + whole) / (2n * whole)}\u00a0%`])),
  };
}

function headline({ winner, decided }) {
  if (decided) return winner === "tie" ? "It is a tie" : `Response ${winner} wins`;
  return `Undecided; the best guess is ${winner === "tie" ? "a tie" : `response ${winner}`}`;
}

function rationale({ winner, rule, orders, bandText }) {
  const own = orders.find(each => each.winner === winner && each.preference === winner && each.rationale);
  if (own) return own.rationale;
  return {
    orders_disagree: `The two orders do not name the same winner and the totals are less than ${bandText} apart: it is a tie.`,
    averaged_totals: `The two orders do not name the same winner; averaged over both, Response ${winner} has the higher weighted total, by ${bandText} or more.`,
    higher_total: `Response ${winner} has the higher weighted total.`,
    equal_totals: "The weighted totals are equal, so it is a tie.",
  }[rule] ?? `The weighted totals are less than ${bandText} apart and the judge prefers neither, so it is a tie.`;
}

const isClose = ({ margin, band }) => margin * 10n ** (PLACES - 4n) < band;

function apart(result) {
  if (!isClose(result)) return short(result.margin, 1);
  return result.margin > 0n && result.margin < 100n ? "less than 0.01" : written(result.margin / 100n, 2);
}

function decision(result) {
  const { winner, orders, totals, decided, bandText } = result;
  const tie = winner === "tie", close = isClose(result), equal = totals[0] === totals[1];
  const far = equal ? "The weighted totals are equal" : `The normalised totals are ${apart(result)} apart`;
  const so = decided
    ? (tie ? "so it is a tie" : "the higher one wins")
    : (tie ? "so the best guess is a tie" : "the higher one is the best guess");
  if (new Set(orders.map(each => each.winner)).size > 1) {
    const found = equal ? far : `${far}, ${close ? "closer than" : "at least"} ${bandText}`;
    return `The orders differ, so the averaged scores decide: ${found[0].toLowerCase()}${found.slice(1)}${tie ? ", " : "; "}${so}.`;
  }
  if (!tie) return `${far}; ${so}.`;
  if (equal) return `${far}, ${so}.`;
  const who = orders.length > 1 ? "both orders call it a tie" : "the judge itself prefers neither answer";
  return `${far}, and ${who}${decided ? "" : `, ${so}`}.`;
}

function order({ orders }, whole, seed) {
  if (orders.length === 1) {
    const drawn = seed === null ? "" : `, drawn from seed ${seed}`;
    return `Judged in one order only (${FIRST[orders[0].order]}${drawn}), so whether the order matters is not known.`;
  }
  const winner = orders[0].winner;
  const named = new Set(orders.map(each => each.winner)).size > 1
    ? `which differ: ${orders.map(each => `${called(each.winner)} with ${FIRST[each.order]}`).join(", ")}`
    : (winner === "tie" ? "and both call it a tie" : `and both name ${winner}`);
  const [ab, ba] = ["ab", "ba"].map(name => orders.find(each => each.order === name));
  const moved = [0, 1].map(at => rounded(ba.totals[at] - ab.totals[at], whole * ONE));
  if (!moved[0] && !moved[1]) return `Judged in both orders, ${named}. No total moved.`;
  const steps = moved.map((step, at) => `${step >= 50n ? "+" : ""}${short(step, 2)} for ${"AB"[at]}`);
  return `Judged in both orders, ${named}. From one to the other the normalised totals moved by ${steps.join(" and ")}.`;
}
