// Numbers for people: a unit in which a value is easy to read, and few digits.

// Units by kind: [symbol, in SI, from this many of them on].
const UNITS = {
    length: [["mm", 1e-3], ["cm", 1e-2], ["m", 1], ["km", 1e3], ["AU", 149597870700, 0.02],
             ["pc", 3.0856775814913673e16, 0.1], ["kpc", 3.0856775814913673e19],
             ["Mpc", 3.0856775814913673e22]],
    time: [["ms", 1e-3], ["s", 1], ["min", 60, 2], ["h", 3600, 2], ["d", 86400, 2],
           ["yr", 31557600, 1], ["kyr", 31557600e3, 10], ["Myr", 31557600e6], ["Gyr", 31557600e9]],
    speed: [["µm/s", 1e-6], ["mm/s", 1e-3], ["m/s", 1], ["km/s", 1e3]],
    mass: [["g", 1e-3], ["kg", 1], ["t", 1e3], ["kt", 1e6], ["M⊕", 5.972167867791379e24, 1e-3],
           ["M☉", 1.988409870698051e30, 0.01]],
};

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const superscript = n =>
    String(n).replace(/./g, c => (c === "-" ? "⁻" : SUPERSCRIPTS[Number(c)]));

// A number with so many digits that matter: 0.00123, 1234, 1.2×10⁹.
export function number(x, digits = 4) {
    if (x === null || x === undefined || !Number.isFinite(x))
        return "–";
    if (x === 0)
        return "0";
    const power = Math.floor(Math.log10(Math.abs(x)));
    if (power < -3 || power >= Math.max(digits, 6)) {
        const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
        const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
        return `${short === "1" ? "" : `${short}×`}10${superscript(Number(exponent))}`;
    }
    return String(Number(x.toPrecision(digits)));
}

export const count = n => Math.round(n).toLocaleString("en").replaceAll(",", " ");

// The nearest of 1, 2, 5, 10, 20, ... that is not below x, or not above.
const decade = x => 10 ** Math.floor(Math.log10(x));
export const roundUp = x => decade(x) * ([1, 2, 5].find(k => k * decade(x) >= 0.999 * x) ?? 10);
export const roundDown = x => decade(x) * [5, 2, 1].find(k => k * decade(x) <= 1.001 * x);

function si(kind, units) {
    const [length, mass, time] = units.si;
    return {length, mass, time, speed: length / time}[kind];
}

// The unit of this kind that fits a value in the scene's units: {symbol, factor}.
export function fitting(value, kind, units) {
    if (!units?.physical || !UNITS[kind])
        return {symbol: "", factor: 1};
    const factor = si(kind, units), size = Math.abs(value) * factor;
    const fits = UNITS[kind].filter(([, unit, least = 1]) => size >= 0.999 * least * unit);
    const [symbol, unit] = fits.at(-1) ?? (size === 0 ? [units[kind], factor] : UNITS[kind][0]);
    return {symbol, factor: factor / unit};
}

export function quantity(value, kind, units, digits = 4) {
    const {symbol, factor} = fitting(value, kind, units);
    return `${number(value * factor, digits)} ${symbol}`.trim();
}

// "mass length^2/time^2" in the scene's units: "kg m²/s²".
export function unitOf(dimension, units) {
    if (!units?.physical || !dimension || dimension === "number")
        return "";
    return dimension
        .replace(/energy/g, "mass length^2/time^2").replace(/surface density/g, "mass/length^2")
        .replace(/density/g, "mass/length^3")
        .replace(/rate/g, "1/time")
        .replace(/length|mass|time|speed/g, kind => units[kind] || kind)
        .replaceAll("Mearth", "M⊕").replaceAll("Msun", "M☉").replaceAll("day", "d")
        .replace(/\^(-?\d+)/g, (_, n) => superscript(n));
}

// The time, in orbits where the scene has those.
export function clock(time, state) {
    const {units, boundary} = state;
    if (boundary?.omega > 0) {
        const orbits = time * boundary.omega / (2 * Math.PI);
        return [`${orbits.toFixed(3)} orbits`, quantity(time, "time", units)];
    }
    if (units?.physical)
        return [quantity(time, "time", units, 5), ""];
    return [`t = ${number(time, 5)}`, ""];
}
