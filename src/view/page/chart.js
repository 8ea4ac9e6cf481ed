// A small line chart on a canvas, with a value under the pointer.
import {el} from "./dom.js";
import {number, roundUp} from "./units.js";

export const LINE_COLOURS = ["#8ab8ff", "#f2b880", "#9ad9a5", "#d3a4f0", "#e6d27a", "#7fd6d6",
                             "#f29bb8", "#b4bcc8"];
const MARGIN = {left: 58, right: 8, top: 8, bottom: 18};
const INK = "#8d97a6", RULE = "rgba(255, 255, 255, 0.07)";

function linearTicks(low, high, most) {
    const step = roundUp((high - low) / most), ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
        ticks.push(k * step);
    return ticks;
}

function logTicks(low, high, most) {
    const from = Math.ceil(low - 1e-9), to = Math.floor(high + 1e-9), ticks = [];
    const step = Math.max(1, Math.ceil((to - from + 1) / most));
    for (let k = from; k <= to; k += step)
        ticks.push(k);
    return ticks.length > 1 ? ticks : [low, high];
}

// Lowest and highest of finite values, with some room where they are one.
function rangeOf(lists) {
    let low = Infinity, high = -Infinity;
    for (const list of lists)
        for (const value of list)
            if (Number.isFinite(value)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
    if (low > high)
        return null;
    const room = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
}

export class Chart {
    element = el("canvas", {class: "chart", role: "img"});
    #shown = {x: [], lines: [], log: false, xLog: false};
    #pointer = null;

    constructor() {
        this.element.addEventListener("pointermove", event => {
            this.#pointer = event.offsetX;
            this.#draw();
        });
        this.element.addEventListener("pointerleave", () => {
            this.#pointer = null;
            this.#draw();
        });
        new ResizeObserver(() => this.#draw()).observe(this.element);
    }

    // Lines: [{name, values}]; with log, the size of values on a logarithmic axis; with xLog, x has
    // the logarithms of what is shown.
    show(x, lines, log, label, xLog = false) {
        this.#shown = {x, lines, log, xLog};
        this.element.setAttribute("aria-label", label);
        this.#draw();
    }

    #draw() {
        const {clientWidth: width, clientHeight: height} = this.element;
        const ratio = devicePixelRatio || 1, pen = this.element.getContext("2d");
        if (width === 0)
            return;
        this.element.width = Math.round(width * ratio);
        this.element.height = Math.round(height * ratio);
        pen.scale(ratio, ratio);
        pen.font = "11px ui-sans-serif, system-ui, sans-serif";
        const {x, log} = this.#shown;
        const lines = this.#shown.lines.map(({name, values}) => ({
            name, values,
            heights: log ? values.map(v => (v ? Math.log10(Math.abs(v)) : NaN)) : values,
        }));
        const range = rangeOf(lines.map(line => line.heights)), span = rangeOf([x]);
        if (!range || !span) {
            pen.fillStyle = INK;
            pen.textAlign = "center";
            pen.fillText("nothing measured yet", width / 2, height / 2);
            return;
        }
        const plot = {
            x: value => MARGIN.left + (value - x[0]) / ((x.at(-1) - x[0]) || 1) *
                        (width - MARGIN.left - MARGIN.right),
            y: value => MARGIN.top + (range[1] - value) / (range[1] - range[0]) *
                        (height - MARGIN.top - MARGIN.bottom),
        };
        this.#drawAxes(pen, plot, range, x, log, width, height);
        lines.forEach((line, i) => this.#drawLine(pen, plot, x, line.heights, LINE_COLOURS[i % LINE_COLOURS.length]));
        if (this.#pointer !== null)
            this.#drawPointer(pen, plot, x, lines, width, height);
    }

    #drawAxes(pen, plot, range, x, log, width, height) {
        const ticks = log ? logTicks(...range, 4) : linearTicks(...range, 4);
        pen.fillStyle = INK;
        pen.strokeStyle = RULE;
        pen.textBaseline = "middle";
        pen.textAlign = "right";
        pen.beginPath();
        for (const tick of ticks) {
            pen.moveTo(MARGIN.left, plot.y(tick));
            pen.lineTo(width - MARGIN.right, plot.y(tick));
            pen.fillText(number(log ? 10 ** tick : tick, 2), MARGIN.left - 6, plot.y(tick));
        }
        pen.stroke();
        pen.textBaseline = "alphabetic";
        pen.textAlign = "left";
        const {xLog} = this.#shown, shown = at => (xLog ? 10 ** at : at);
        pen.fillText(number(shown(x[0]), 3), MARGIN.left, height - 4);
        pen.textAlign = "right";
        pen.fillText(number(shown(x.at(-1)), 4), width - MARGIN.right, height - 4);
    }

    #drawLine(pen, plot, x, heights, colour) {
        pen.strokeStyle = colour;
        pen.lineWidth = 1.5;
        pen.lineJoin = "round";
        pen.beginPath();
        let down = false;
        for (let i = 0; i < x.length; i++) {
            const there = Number.isFinite(heights[i]);
            if (there)
                pen[down ? "lineTo" : "moveTo"](plot.x(x[i]), plot.y(heights[i]));
            // One that has no neighbours, as in columns that are not in every row, is a dot.
            if (there && !down && !Number.isFinite(heights[i + 1]))
                pen.rect(plot.x(x[i]) - 0.5, plot.y(heights[i]) - 0.5, 1, 1);
            down = there;
        }
        pen.stroke();
    }

    #drawPointer(pen, plot, x, lines, width, height) {
        let at = 0;
        for (let i = 1; i < x.length; i++)
            if (Math.abs(plot.x(x[i]) - this.#pointer) < Math.abs(plot.x(x[at]) - this.#pointer))
                at = i;
        const place = plot.x(x[at]), left = place > width / 2;
        pen.strokeStyle = "rgba(255, 255, 255, 0.25)";
        pen.beginPath();
        pen.moveTo(place, MARGIN.top);
        pen.lineTo(place, height - MARGIN.bottom);
        pen.stroke();
        pen.textAlign = left ? "right" : "left";
        lines.forEach(({values}, i) => {
            pen.fillStyle = LINE_COLOURS[i % LINE_COLOURS.length];
            pen.fillText(number(values[at]), place + (left ? -6 : 6), MARGIN.top + 10 + 13 * i);
        });
    }
}
