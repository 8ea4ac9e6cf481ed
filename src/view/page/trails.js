// The last frames, kept on the graphics card; a trail joins a body's places in them.

const MOST_BYTES = 192 << 20;

export class Trails {
    #gl;
    #kept = [];  // oldest first: {buffer, bytes, frame (its header only)}

    constructor(gl) {
        this.#gl = gl;
    }

    clear() {
        for (const {buffer} of this.#kept)
            this.#gl.deleteBuffer(buffer);
        this.#kept = [];
    }

    // Takes over the buffer of a frame that is no longer the newest; returns one to use instead.
    keep(buffer, frame, length) {
        const last = this.#kept.at(-1)?.frame;
        if (last && (last.generation !== frame.generation || last.count !== frame.count ||
                     last.stride !== frame.stride || last.step > frame.step))
            this.clear();
        const {payload, bodies, colours, ...header} = frame;
        this.#kept.push({buffer, bytes: payload.byteLength, frame: header});
        const most = Math.max(2, Math.min(length, Math.floor(MOST_BYTES / payload.byteLength)));
        let spare = null;
        while (this.#kept.length > most) {
            this.#gl.deleteBuffer(spare);
            spare = this.#kept.shift().buffer;
        }
        return spare ?? this.#gl.createBuffer();
    }

    // What to draw: pairs of frames, the newest last, fainter with age.
    pieces(newest, toCamera) {
        const same = this.#kept.filter(({frame}) =>
            frame.generation === newest.frame.generation && frame.count === newest.frame.count);
        const ends = [...same, newest].map(({buffer, frame}) =>
            ({buffer, count: frame.count, ...toCamera(frame)}));
        return ends.slice(1).map((to, i) =>
            ({from: ends[i], to, alpha: 0.75 * ((i + 1) / ends.length) ** 1.5}));
    }
}
