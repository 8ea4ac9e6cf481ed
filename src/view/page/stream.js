// Reads /frames and hands on one frame after the other, for ever: a stream that ends begins again.
import {request} from "./server.js";
import {attachPayload, HEADER_BYTES, readHeader} from "./frame.js";

// Cuts chunks of any length into frames. Each byte is copied once, straight to its place.
export class FrameCutter {
    #header = new Uint8Array(HEADER_BYTES);
    #filled = 0;      // bytes of this frame so far
    #frame = null;    // its header, when it is complete
    #payload = null;
    #spares = [];

    // Buffers of frames that nobody looks at any more serve again: a million bodies are 9 MB.
    recycle(frame) {
        if (frame && this.#spares.length < 2)
            this.#spares.push(frame.payload);
    }

    #begin() {
        this.#frame = readHeader(this.#header.buffer);
        const bytes = this.#frame.payloadBytes;
        this.#spares = this.#spares.filter(buffer => buffer.byteLength === bytes);
        this.#payload = new Uint8Array(this.#spares.pop() ?? new ArrayBuffer(bytes));
    }

    push(chunk, deliver) {
        for (let at = 0; at < chunk.length;) {
            const header = this.#frame?.headerBytes ?? HEADER_BYTES;
            const end = this.#frame ? header + this.#frame.payloadBytes : HEADER_BYTES;
            const part = chunk.subarray(at, at + end - this.#filled);
            if (!this.#frame)
                this.#header.set(part, this.#filled);
            else if (this.#filled >= header)
                this.#payload.set(part, this.#filled - header);
            else if (this.#filled + part.length > header)
                this.#payload.set(part.subarray(header - this.#filled), 0);
            this.#filled += part.length;
            at += part.length;
            if (!this.#frame && this.#filled === HEADER_BYTES)
                this.#begin();
            const {headerBytes = Infinity, payloadBytes = 0} = this.#frame ?? {};
            if (this.#filled === headerBytes + payloadBytes) {
                deliver(attachPayload(this.#frame, this.#payload.buffer));
                this.#frame = null;
                this.#filled = 0;
            }
        }
    }
}

const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

export function startStream(deliver) {
    let abort = null;
    let cutter = null;

    async function read() {
        abort = new AbortController();
        cutter = new FrameCutter();
        const response = await request("/frames?once=1", {signal: abort.signal});
        const reader = response.body.getReader();
        for (let chunk; !(chunk = await reader.read()).done;)
            cutter.push(chunk.value, deliver);
    }

    async function run() {
        for (;;) {
            // Nobody looks at a hidden page: it costs nothing then.
            if (!document.hidden)
                await read().catch(() => abort.abort());
            await pause(500);
        }
    }

    document.addEventListener("visibilitychange", () => document.hidden && abort?.abort());
    run();
    return {
        recycle: frame => cutter?.recycle(frame),
        restart: () => abort?.abort(),
    };
}
