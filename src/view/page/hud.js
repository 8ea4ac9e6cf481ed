// What lies over the picture: time, scale bar, legend, names of the axes, the mark of a body.
import {byId, el, setText} from "./dom.js";
import {colourTable, TYPES} from "./colours.js";
import {isShown, positionOf, radiusOf} from "./frame.js";
import {axisLength} from "./scenery.js";
import {clock, count, fitting, number, roundDown} from "./units.js";

const BAR_PIXELS = 120;
// Kinds of values that a colour may stand for: name, and how its unit is made.
const FIELDS = {
    speed: "speed", mass: "mass", radius: "length", potential: "potential", density: "density",
};

// A unit for values up to `high`: {symbol, factor}.
function unitFor(field, high, units) {
    if (field === "potential" && units.physical) {
        const speed = fitting(Math.sqrt(Math.abs(high)), "speed", units);
        return {symbol: `(${speed.symbol})²`, factor: speed.factor ** 2};
    }
    if (field === "density" && units.physical)
        return {symbol: `${units.mass}/${units.length}³`, factor: 1};
    return fitting(high, FIELDS[field], units);
}

function drawRamp(canvas, field, look) {
    const table = colourTable(field, look.map, look.reverse);
    const image = new ImageData(new Uint8ClampedArray(table), 256, 1);
    canvas.width = 256;
    canvas.height = 1;
    canvas.getContext("2d").putImageData(image, 0, 0);
}

function fillLegend(box, frame, look, units) {
    const {colour, scale, colourLow, colourHigh} = frame;
    const wanted = [colour, scale, colourLow, colourHigh, look.map, look.reverse, look.mode,
                    units.name].join();
    if (box.dataset.shows === wanted)
        return;
    box.dataset.shows = wanted;
    box.hidden = colour === "none" || colour === "id";
    if (colour === "type") {
        box.replaceChildren(...Object.values(TYPES).map(({name, colour: rgb}) => {
            const swatch = el("span", {class: "swatch"});
            swatch.style.background = `rgb(${rgb})`;
            return el("span", {class: "kind"}, swatch, name);
        }));
    } else if (!box.hidden) {
        const ramp = el("canvas", {class: "ramp"});
        const most = Math.max(Math.abs(colourLow), Math.abs(colourHigh));
        const {symbol, factor} = unitFor(colour, most, units);
        const unit = symbol + (scale === "log" ? ", log" : "");
        drawRamp(ramp, colour, look);
        box.replaceChildren(
            el("div", {class: "legend-name"}, el("span", {}, colour), el("span", {}, unit)), ramp,
            el("div", {class: "legend-ends"}, el("span", {}, number(colourLow * factor, 3)),
               el("span", {}, number(colourHigh * factor, 3))));
    }
}

export function startHud(app, camera) {
    const time = byId("time"), more = byId("time-more"), bar = byId("bar"),
          barText = byId("bar-text"), legend = byId("legend"), mark = byId("mark");
    const names = ["x", "y", "z"].map(name => el("span", {class: `axis axis-${name}`}, name));
    byId("labels").append(...names);

    function drawBar(units) {
        const most = BAR_PIXELS * camera.unitsPerPixel;
        const {symbol, factor} = fitting(most, "length", units);
        const round = roundDown(most * factor);
        bar.style.width = `${round / factor / camera.unitsPerPixel}px`;
        setText(barText, `${number(round, 2)} ${symbol}`.trim());
    }

    function place(element, point, matrix) {
        const at = point && camera.project(point, matrix);
        element.hidden = !at;
        if (at)
            element.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    }

    function drawMark(frame, matrix) {
        const {picked, look} = app;
        const shown = picked && isShown(frame, picked.index);
        const position = shown ? positionOf(frame, picked.index) : null;
        place(mark, position, matrix);
        if (!shown)
            return;
        const grow = look.mode === "spheres" ? look.size : 0;
        const depth = camera.ortho ? 1 : Math.max(1 - camera.depth(position), 0.05);
        const radius = 8 + grow * radiusOf(frame, picked.index) / camera.unitsPerPixel / depth;
        mark.style.setProperty("--radius", `${radius}px`);
    }

    app.on("drawn", () => {
        const {frame, state, look} = app;
        if (!frame || !state)
            return;
        const [main, beside] = clock(frame.time, state), matrix = camera.matrix();
        setText(time, main);
        const part = frame.stride > 1 ? `1 in ${frame.stride} of ` : "";
        setText(more, [beside, `${part}${count(frame.total)} bodies`].filter(Boolean).join(" · "));
        drawBar(state.units);
        fillLegend(legend, frame, look, state.units);
        names.forEach((name, k) => {
            const tip = [0, 0, 0];
            tip[k] = 1.04 * axisLength(camera);
            place(name, look.axes ? tip : null, matrix);
        });
        drawMark(frame, matrix);
    });
}

