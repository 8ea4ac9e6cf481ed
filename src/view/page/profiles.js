// The profiles of components at the last measurement: a chart over the radius, a line for each.
import {get} from "./server.js";
import {Chart, LINE_COLOURS} from "./chart.js";
import {section, select} from "./controls.js";
import {el, setText} from "./dom.js";
import {unitOf} from "./units.js";

// What can be shown, and whether by its logarithm.
const SHOWN = {v_circ: false, density: true, surface_density: true, mass_enclosed: true,
               v_rotation: false, sigma_radial: false, sigma_tangential: false};
const words = name => name.replaceAll("_", " ");

// Radii of all components, which have edges in common, and a list of values for each component.
function gather({columns, rows}, name) {
    const at = wanted => 1 + columns.findIndex(column => column.name === wanted);
    const x = at("r_outer"), y = at(name);
    const radii = [...new Set(rows.map(row => row[x]))].sort((a, b) => a - b);
    const place = new Map(radii.map((radius, i) => [radius, i]));
    const lines = new Map();
    for (const row of rows) {
        if (!lines.has(row[0]))
            lines.set(row[0], Array(radii.length).fill(NaN));
        lines.get(row[0])[place.get(row[x])] = row[y] ?? NaN;
    }
    return {radii, lines: [...lines].map(([component, values]) => ({name: component, values}))};
}

export function profilesSection(app) {
    const chart = new Chart();
    const unit = el("span", {class: "chart-unit"}), keys = el("span", {class: "chart-keys"});
    const foot = el("p", {class: "muted"});
    let name = "v_circ", shown = null, known = "", busy = false;
    const options = Object.fromEntries(Object.keys(SHOWN).map(each => [each, words(each)]));
    const choice = select(options, name, chosen => {
        name = chosen;
        redraw();
    }, {"aria-label": "Profile"});
    const head = el("div", {class: "chart-head"}, choice, unit, keys);
    const element = section("Profiles");
    element.hidden = true;

    function redraw() {
        if (!shown || !app.state)
            return;
        const {radii, lines} = gather(shown, name);
        const column = shown.columns.find(each => each.name === name);
        choice.title = column.doc;
        setText(unit, unitOf(column.unit, app.state.units));
        keys.replaceChildren(...lines.map((line, i) => {
            const key = el("span", {}, words(line.name));
            key.style.color = LINE_COLOURS[i % LINE_COLOURS.length];
            return key;
        }));
        chart.show(radii.map(Math.log10), lines, SHOWN[name], `${words(name)} over the radius`,
                   true);
        const length = unitOf(shown.columns.find(each => each.name === "r_outer").unit,
                              app.state.units);
        setText(foot, `over the radius${length ? ` in ${length}` : ""}`);
    }

    async function follow({epoch, rows}) {
        const now = `${epoch} ${rows}`;
        if (busy || now === known || !element.closest(".panel:not([hidden])"))
            return;
        busy = true;
        try {
            const found = await get("/api/profiles");
            shown = found.rows ? found : null;
            known = now;
            element.hidden = !shown;
            if (shown && !chart.element.isConnected)
                element.append(head, chart.element, foot);
            redraw();
        } catch {
            // the next state tries again
        }
        busy = false;
    }

    app.on("state", state => follow(state.series));
    return element;
}
