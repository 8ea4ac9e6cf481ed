// Colour maps: paths through OKLCH, a space in which equal steps look equal. The lightness of each
// rises evenly, so it reads the same in grey, and begins above black, so that nothing is lost on a
// dark ground.

// [lightness, chroma, hue in degrees] at even distances.
const MAPS = {
    lagoon: [[0.43, 0.15, 296], [0.53, 0.13, 266], [0.62, 0.11, 225], [0.72, 0.12, 178],
             [0.82, 0.16, 138], [0.92, 0.18, 104]],
    ember: [[0.37, 0.14, 295], [0.46, 0.18, 340], [0.55, 0.2, 18], [0.68, 0.18, 45],
            [0.82, 0.15, 75], [0.96, 0.09, 100]],
    dune: [[0.42, 0.09, 258], [0.51, 0.06, 258], [0.6, 0.02, 250], [0.69, 0.05, 98],
           [0.8, 0.1, 97], [0.92, 0.15, 96]],
    frost: [[0.38, 0.13, 262], [0.52, 0.14, 252], [0.66, 0.12, 235], [0.8, 0.08, 215],
            [0.95, 0.03, 200]],
    ash: [[0.42, 0, 0], [0.98, 0, 0]],
};
export const MAP_NAMES = Object.keys(MAPS);

// Björn Ottosson's OKLab, and the curve of sRGB.
function toRgb([light, chroma, hue]) {
    const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
    const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s].map(linear => {
        const x = Math.min(Math.max(linear, 0), 1);
        return Math.round(255 * (x < 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
    });
}

const fromDegrees = ([light, chroma, hue]) => [light, chroma, hue * Math.PI / 180];

// The colour at t from 0 to 1.
export function mapColour(name, t) {
    const path = MAPS[name].map(fromDegrees), at = t * (path.length - 1);
    const i = Math.min(Math.floor(at), path.length - 2), f = at - i;
    const [from, to] = [path[i], path[i + 1]];
    // The shorter way round the circle of hues.
    const turn = Math.atan2(Math.sin(to[2] - from[2]), Math.cos(to[2] - from[2]));
    return toRgb([from[0] + f * (to[0] - from[0]), from[1] + f * (to[1] - from[1]),
                  from[2] + f * turn]);
}

// Kinds of bodies; the fifth bit says that a body is held in its place.
export const TYPES = {
    1: {name: "body", colour: toRgb(fromDegrees([0.8, 0.07, 240]))},
    2: {name: "disk", colour: toRgb(fromDegrees([0.84, 0.11, 160]))},
    3: {name: "bulge", colour: toRgb(fromDegrees([0.8, 0.13, 60]))},
    4: {name: "star", colour: toRgb(fromDegrees([0.9, 0.12, 92]))},
    5: {name: "black hole", colour: toRgb(fromDegrees([0.68, 0.2, 350]))},
};
export const typeName = type =>
    (TYPES[type & 15]?.name ?? `type ${type & 15}`) + (type & 16 ? ", held" : "");

const PLAIN = toRgb(fromDegrees([0.9, 0.03, 240]));
const typeColour = byte =>
    TYPES[byte & 15]?.colour ?? toRgb(fromDegrees([0.78, 0.1, 60 * (byte & 15) + 140]));
// 256 hues, each far from the one before.
const idColour = byte => toRgb(fromDegrees([0.68 + 0.18 * (byte % 3) / 2, 0.12, 137.508 * byte]));

// The colours of the 256 values of a colour byte, as RGBA.
export function colourTable(field, map, reverse) {
    const table = new Uint8Array(1024);
    for (let i = 0; i < 256; i++) {
        const t = (reverse ? 255 - i : i) / 255;
        const rgb = field === "none" ? PLAIN
                  : field === "type" ? typeColour(i)
                  : field === "id" ? idColour(i)
                  : mapColour(map, t);
        table.set([...rgb, 255], 4 * i);
    }
    return table;
}
