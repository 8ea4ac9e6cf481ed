// The panel of a body that was picked: its exact values, from the server.
import {get} from "./server.js";
import {typeName} from "./colours.js";
import {button, toggle} from "./controls.js";
import {byId, el, icon, setText} from "./dom.js";
import {length} from "./vector.js";
import {number, quantity, unitOf} from "./units.js";

const PERIOD_MS = 400;

function rowsOf(body, units) {
    const vector = values => values.map(value => number(value, 5)).join("  ");
    const withUnit = (text, dimension) => [text, unitOf(dimension, units)];
    return [
        ["type", typeName(body.type), ""],
        ["mass", quantity(body.mass, "mass", units), ""],
        ["radius", body.radius > 0 ? quantity(body.radius, "length", units) : "none", ""],
        ["speed", quantity(length(body.velocity), "speed", units), ""],
        ["position", ...withUnit(vector(body.position), "length")],
        ["velocity", ...withUnit(vector(body.velocity), "speed")],
        ["acceleration", ...withUnit(vector(body.acceleration), "length/time^2")],
        ["potential", ...withUnit(number(body.potential), "length^2/time^2")],
        ...(body.spin ? [["spin", ...withUnit(vector(body.spin), "1/time")]] : []),
        ...Object.entries(body.columns ?? {}).map(([name, {value, unit}]) =>
            [name, Array.isArray(value) ? vector(value) : number(value), unit]),
    ];
}

export function startBodyPanel(app, actions) {
    const panel = byId("body-panel"), title = el("h2", {}), table = el("dl", {class: "values"});
    const out = button("Take it out", async () => {
        const reply = await actions.ask("remove", {id: app.picked?.body?.id ?? ""});
        if (reply)
            actions.say(`${reply.n} bodies are left`);
    }, {id: "remove-body"});
    app.on("state", () => { out.hidden = !app.can("remove"); });
    panel.append(
        el("header", {}, title,
           el("button", {type: "button", class: "icon-button", title: "Let go (Esc)",
                         "aria-label": "Let go of this body", onclick: () => actions.pick(-1)},
              icon("close"))),
        table, toggle(app, "follow", "Follow", "Keep it in the middle (x: the next one)"),
        el("div", {class: "buttons"}, out));
    let asked = "";

    function show(body) {
        setText(title, `Body ${body.id}`);
        table.replaceChildren(...rowsOf(body, app.state.units).map(([name, value, unit]) =>
            el("div", {}, el("dt", {}, name),
               el("dd", {}, value, unit && el("span", {class: "unit"}, ` ${unit}`)))));
    }

    async function update() {
        const {picked, state} = app;
        panel.hidden = !picked;
        const now = picked && `${picked.slot} ${state?.generation} ${state?.step}`;
        if (!picked || now === asked || document.hidden)
            return;
        asked = now;
        try {
            const {bodies: [body]} = await get(`/api/body?slot=${picked.slot}`);
            if (body && app.picked === picked) {
                picked.body = body;
                show(body);
            }
        } catch (error) {
            asked = "";
            if (error.status === 404)
                actions.pick(-1);
        }
    }

    app.on("pick", () => {
        asked = "";
        setText(title, "Body");
        table.replaceChildren();
        update();
    });
    setInterval(update, PERIOD_MS);
}
