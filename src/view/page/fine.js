// Places in a frame have 16 bits. Who looks closer than that asks for a smaller box, and for the
// usual one when it is no longer needed.
import {post} from "./server.js";
import {add, length, sub} from "./vector.js";

const COARSE = 0.7;      // pixels that a step of a place may have
const HALF_BOX = 1500;   // pixels from the middle of a smaller box to its sides
const PERIOD_MS = 500;
const PATIENCE_MS = 3000;

export function startFine(app, camera) {
    let mine = null;  // {centre, half} of the box that was asked for; null: the usual one
    let busy = false;
    let seen = "", moved = 0;

    async function ask(box) {
        busy = true;
        const ends = box && [-1, 1].map(sign =>
            add(box.centre, [0, 1, 2].map(() => sign * box.half)).join(" "));
        await post("frame", {box: box ? ends.join(" ") : "auto"})
            .then(() => { mine = box; })
            .catch(() => {});
        busy = false;
    }

    function look() {
        const {frame, look: {follow}} = app, unit = camera.unitsPerPixel;
        const now = [camera.distance, ...camera.target].join();
        if (now !== seen)
            moved = performance.now();
        seen = now;
        // Others may watch too and look elsewhere: a page where nobody moves leaves the box alone.
        if (!frame || busy || !app.can("frame") || performance.now() - moved > PATIENCE_MS)
            return;
        const wanted = {centre: camera.target, half: HALF_BOX * unit};
        const home = app.home?.radius ?? Infinity;
        const coarse = Math.max(...frame.cell) > COARSE * unit;
        const left = mine && length(sub(camera.target, mine.centre)) > 0.5 * mine.half;
        const outgrown = mine && mine.half < 0.4 * wanted.half;
        if (mine && (outgrown || left) && wanted.half > home)
            ask(null);
        else if ((coarse && !mine) || left || outgrown || (mine && coarse))
            ask(wanted);
    }
    setInterval(look, PERIOD_MS);
    return {
        active: () => mine !== null,
        // Another scene has another box of its own.
        reset: () => mine && ask(null),
    };
}
