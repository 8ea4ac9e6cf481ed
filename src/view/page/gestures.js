// Mouse, pen, touch and wheel on the picture.

const CLICK_PIXELS = 5;
const DEGREES_PER_PIXEL = 0.35;

export function listenToGestures(canvas, camera, {changed, click, doubleClick, moved}) {
    const pointers = new Map(); // id -> {x, y}
    let travelled = 0;
    let rotating = true;

    const place = event => ({x: event.offsetX, y: event.offsetY});
    const centre = () => {
        const all = [...pointers.values()];
        return {x: all.reduce((sum, p) => sum + p.x, 0) / all.length,
                y: all.reduce((sum, p) => sum + p.y, 0) / all.length};
    };
    const spread = () => {
        const [a, b] = [...pointers.values()];
        return Math.hypot(a.x - b.x, a.y - b.y);
    };

    canvas.addEventListener("pointerdown", event => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, place(event));
        rotating = event.button === 0 && !event.shiftKey && !event.ctrlKey;
        travelled = pointers.size > 1 ? Infinity : 0;
        canvas.focus({preventScroll: true});
    });

    canvas.addEventListener("pointermove", event => {
        const before = pointers.get(event.pointerId);
        if (!before)
            return;
        const after = place(event), from = centre();
        const apart = pointers.size > 1 ? spread() : 0;
        travelled += Math.hypot(after.x - before.x, after.y - before.y);
        pointers.set(event.pointerId, after);
        if (travelled < CLICK_PIXELS)
            return;
        const to = centre(), dx = to.x - from.x, dy = to.y - from.y;
        if (pointers.size > 1) {
            camera.pan(dx, dy);
            camera.zoom(spread() / Math.max(apart, 1), to.x, to.y);
            moved();
        } else if (rotating) {
            camera.rotate(dx * DEGREES_PER_PIXEL, dy * DEGREES_PER_PIXEL);
        } else {
            camera.pan(dx, dy);
            moved();
        }
        changed();
    });

    const release = event => {
        if (pointers.delete(event.pointerId) && event.type === "pointerup" &&
            travelled < CLICK_PIXELS && event.button === 0)
            click(event.offsetX, event.offsetY);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("dblclick", event => doubleClick(event.offsetX, event.offsetY));

    canvas.addEventListener("wheel", event => {
        event.preventDefault();
        // Lines and pages of a wheel, in pixels.
        const delta = event.deltaY * [1, 16, 400][event.deltaMode];
        camera.zoom(Math.exp(-0.0016 * Math.max(-400, Math.min(delta, 400))), event.offsetX,
                    event.offsetY);
        changed();
    }, {passive: false});
}
