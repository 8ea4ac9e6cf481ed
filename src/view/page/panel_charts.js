// The panel "Measurements": charts of the scene's diagnostics, and where the time of a step goes.
import {post} from "./server.js";
import {Chart, LINE_COLOURS} from "./chart.js";
import {button, iconButton, section, select} from "./controls.js";
import {el, setText} from "./dom.js";
import {profilesSection} from "./profiles.js";
import {Series} from "./series.js";
import {fitting, number, unitOf} from "./units.js";

// What to show first, where the scene measures it.
const WANTED = ["energy_error", "dispersion", "collisions", "kepler_error_max", "toomre_q",
                "bar_strength", "lagrange_50", "virial", "wake_amplitude", "momentum"];
const FIRST = 3;
const LOGARITHMIC = /error|momentum|viscosity/;
const words = name => name.replaceAll("_", " ");

// The axis of times: in orbits where there are those, else in a unit that fits.
function timeAxis(times, {units, boundary}) {
    const last = times.at(-1) ?? 0;
    const {symbol, factor} = boundary?.omega > 0
        ? {symbol: "orbits", factor: boundary.omega / (2 * Math.PI)}
        : fitting(last, "time", units);
    return {symbol: symbol || "time", values: times.map(time => time * factor)};
}

class ChartCard {
    chart = new Chart();
    #title = el("span", {class: "chart-unit"});
    #keys = el("span", {class: "chart-keys"});
    #choice = select({}, "", name => this.choose(name), {"aria-label": "Measurement"});
    #log = el("input", {type: "checkbox"});
    #names = "";

    constructor(name, redraw, remove) {
        this.name = name;
        this.#log.checked = LOGARITHMIC.test(name);
        this.redraw = redraw;
        this.#log.addEventListener("change", redraw);
        this.element = el("div", {class: "chart-card"},
            el("div", {class: "chart-head"}, this.#choice, this.#title, this.#keys,
               el("label", {class: "mini"}, this.#log, "log"),
               iconButton("close", "Take this chart away", remove, {class: "icon-button small"})),
            this.chart.element);
    }

    choose(name) {
        this.name = name;
        this.#log.checked = LOGARITHMIC.test(name);
        this.redraw();
    }

    show(series, groups, axis, units) {
        const names = [...groups.keys()];
        if (this.#names !== names.join()) {
            this.#names = names.join();
            this.#choice.replaceChildren(...names.map(name => el("option", {value: name},
                                                                 words(name))));
        }
        const group = groups.get(this.name);
        this.element.hidden = !group;
        if (!group)
            return;
        this.#choice.value = this.name;
        this.#choice.title = group.doc;
        setText(this.#title, unitOf(group.unit, units));
        this.#keys.replaceChildren(...(group.indices.length < 2 ? [] : group.keys).map(
            (name, i) => {
                const key = el("span", {}, words(name));
                key.style.color = LINE_COLOURS[i % LINE_COLOURS.length];
                return key;
            }));
        const lines = group.indices.map(index => ({name: series.columns[index].name,
                                                   values: series.column(index)}));
        this.chart.show(axis.values, lines, this.#log.checked, `${words(this.name)} over time`);
    }
}

function phasesTable(phases, stepMs) {
    const shown = phases.kernels.slice(0, 12);
    const total = phases.kernels.reduce((sum, kernel) => sum + kernel.ms, 0);
    return [
        el("div", {class: "phases"}, shown.map(({name, ms}) => {
            const fill = el("i", {class: "phase-fill"});
            fill.style.width = `${100 * ms / total}%`;
            return el("div", {class: "phase"}, el("span", {class: "phase-name"}, name),
                      el("span", {class: "phase-ms"}, `${number(ms, 3)} ms`), fill);
        })),
        el("p", {class: "muted"}, `Kernels take ${number(total, 3)} ms of a step` +
           (stepMs ? ` of ${number(stepMs, 3)} ms.` : ".")),
    ];
}

export function chartsPanel(app, actions) {
    const series = new Series();
    const charts = el("div", {class: "charts"});
    const empty = el("p", {class: "muted"});
    const rate = el("p", {class: "figure"}), device = el("p", {class: "muted"});
    const phases = el("div", {});
    let cards = [], chosen = false, busy = false, shownPhases = "";

    function redraw() {
        if (!app.state)
            return;
        const groups = series.groups(), axis = timeAxis(series.column(1), app.state);
        cards.forEach(card => card.show(series, groups, axis, app.state.units));
        setText(foot, `over time in ${axis.symbol}`);
        foot.hidden = cards.length === 0;
    }

    function addCard(name) {
        const card = new ChartCard(name, redraw, () => {
            cards = cards.filter(other => other !== card);
            card.element.remove();
            chosen = true;
            redraw();
        });
        cards.push(card);
        charts.append(card.element);
    }

    function addNext() {
        const groups = [...series.groups().keys()];
        chosen = true;
        const name = groups.find(each => !cards.some(card => card.name === each)) ?? groups[0];
        if (name)
            addCard(name);
        redraw();
    }

    // With another scene come other columns: charts of those that are gone make place for those
    // that are wanted most, until somebody has chosen.
    function choose() {
        const groups = series.groups();
        const measured = name => groups.has(name) && groups.get(name).indices.some(
            index => series.rows.some(row => Number.isFinite(row[index])));
        cards = cards.filter(card => groups.has(card.name) || card.element.remove());
        for (const name of WANTED)
            if (!chosen && cards.length < FIRST && measured(name) &&
                !cards.some(card => card.name === name))
                addCard(name);
    }

    const foot = el("p", {class: "muted"});
    const more = button("Add a chart", addNext);
    const measure = button("Measure", () => post("profile").catch(actions.complain),
                           {title: "Times the kernels of the next steps (p)"});

    async function follow(state) {
        if (busy || !charts.closest(".panel:not([hidden])"))
            return;
        busy = true;
        try {
            if (await series.update(state.series)) {
                choose();
                redraw();
            }
        } catch {
            // the next state tries again
        }
        busy = false;
        empty.hidden = series.columns.length > 2;
        setText(empty, state.files?.unmeasured ?? "This scene measures nothing.");
        more.hidden = !empty.hidden;
    }

    app.on("state", state => {
        setText(rate, state.step_ms ? `${number(state.step_ms, 3)} ms a step · ` +
                `${number(state.steps_per_s, 3)} steps/s` : "no step taken yet");
        setText(device, `${state.device?.name ?? ""} · ${state.precision ?? ""}`);
        measure.hidden = !app.can("profile");
        const now = JSON.stringify(state.phases);
        if (state.phases && now !== shownPhases)
            phases.replaceChildren(...phasesTable(state.phases, state.step_ms));
        shownPhases = now;
        follow(state);
    });

    return [
        section(null, charts, empty, foot, more),
        profilesSection(app),
        section("Step time", rate, device, phases, measure),
    ];
}
