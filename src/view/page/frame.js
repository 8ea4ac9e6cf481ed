// A frame of /frames: its header, and the bodies as the bytes that the graphics card takes.

export const HEADER_BYTES = 192;
export const ABSENT = 65535;
const COLOURS = ["none", "type", "speed", "mass", "radius", "potential", "id", "density"];
const SCALES = ["value", "linear", "log"];

const vector = (view, offset) => [0, 8, 16].map(i => view.getFloat64(offset + i, true));

// Returns the header, or throws where these bytes begin no frame.
export function readHeader(buffer, offset = 0) {
    const view = new DataView(buffer, offset);
    if (view.getUint32(0, true) !== 0x4654434f || view.getUint16(4, true) !== 1)
        throw new Error("This stream holds no frames that the page knows.");
    const low = vector(view, 48), high = vector(view, 72);
    return {
        headerBytes: view.getUint16(6, true),
        sequence: Number(view.getBigUint64(8, true)),
        step: Number(view.getBigUint64(16, true)),
        time: view.getFloat64(24, true),
        count: view.getUint32(32, true),
        stride: view.getUint32(36, true),
        total: Number(view.getBigUint64(40, true)),
        low,
        high,
        cell: low.map((value, k) => (high[k] - value) / 65534),
        radiusUnit: view.getFloat64(96, true),
        colourLow: view.getFloat64(104, true),
        colourHigh: view.getFloat64(112, true),
        colour: COLOURS[view.getUint8(120)] ?? "none",
        scale: SCALES[view.getUint8(121)] ?? "value",
        ownBox: (view.getUint8(122) & 2) !== 0,
        payloadBytes: view.getUint32(124, true),
        generation: view.getUint32(128, true),
        image: vector(view, 136),
    };
}

export function attachPayload(frame, buffer) {
    frame.payload = buffer;
    frame.bodies = new Uint16Array(buffer, 0, 4 * frame.count);
    frame.colours = new Uint8Array(buffer, 8 * frame.count, frame.count);
    return frame;
}

export const isShown = (frame, index) =>
    index >= 0 && index < frame.count && frame.bodies[4 * index] !== ABSENT;

export const positionOf = (frame, index) =>
    frame.low.map((low, k) => low + frame.bodies[4 * index + k] * frame.cell[k]);

export const radiusOf = (frame, index) => frame.bodies[4 * index + 3] * frame.radiusUnit;

// The middle of what is shown and how far it reaches, without the few that are far out.
export function reachOf(frame) {
    const middle = frame.low.map((low, k) => 0.5 * (low + frame.high[k]));
    const half = 0.5 * Math.max(...frame.low.map((low, k) => frame.high[k] - low));
    if (frame.ownBox)
        return {centre: middle, radius: half};
    const places = [], stride = Math.ceil(frame.count / 4000);
    for (let i = 0; i < frame.count; i += stride)
        if (isShown(frame, i))
            places.push(positionOf(frame, i));
    // A handful of bodies goes round something at the origin, and each of them counts.
    if (places.length < 100)
        return {centre: [0, 0, 0], radius: Math.max(...places.map(p => Math.hypot(...p))) || half};
    const quantile = (values, q) => values.sort((a, b) => a - b)[Math.floor(q * values.length)];
    const centre = [0, 1, 2].map(k => quantile(places.map(place => place[k]), 0.5) ?? middle[k]);
    const radius = quantile(places.map(place =>
        Math.hypot(...place.map((x, k) => x - centre[k]))), 0.93);
    return {centre, radius: Math.min(1.2 * (radius || half), half) || 1};
}
