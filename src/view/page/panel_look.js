// The panel "Look": how bodies are drawn.
import {post} from "./server.js";
import {MAP_NAMES, mapColour} from "./colours.js";
import {button, choice, logSlider, row, section, select, toggle} from "./controls.js";
import {el} from "./dom.js";
import {hasOrbits} from "./orbits.js";
import {number} from "./units.js";

const MOST = {10000: "10 thousand", 100000: "100 thousand", 300000: "300 thousand",
              1000000: "1 million", 4000000: "4 million"};

// The maps as stripes to choose from.
function mapChoice(app) {
    const box = choice(app, "map", "Colour map", Object.fromEntries(MAP_NAMES.map(n => [n, n])));
    box.classList.add("maps");
    for (const input of box.querySelectorAll("input")) {
        const stops = [0, 0.25, 0.5, 0.75, 1].map(t => `rgb(${mapColour(input.value, t)})`);
        const text = input.nextSibling;
        text.style.backgroundImage = `linear-gradient(90deg, ${stops})`;
        text.title = input.value;
        text.replaceChildren(el("span", {class: "unseen"}, input.value));
    }
    return box;
}

export function lookPanel(app, actions) {
    const send = values => post("frame", values).catch(actions.complain);
    const colour = select({speed: "speed"}, "speed", value => send({colour: value}),
                          {id: "colour-by"});
    const most = select(MOST, 1000000, value => send({most: value}));
    const orbits = toggle(app, "orbits", "Orbits", "Ellipses around the body each is bound to (w)");
    const ghosts = toggle(app, "ghosts", "Ghost boxes", "Images of a periodic or sheared box (g)");
    const box = toggle(app, "box", "Box");
    let shown = "";

    app.on("state", state => {
        const {colours = [], colour: now, most: limit} = state.frame;
        if (shown !== colours.join()) {
            shown = colours.join();
            colour.replaceChildren(...colours.map(name => el("option", {value: name}, name)));
        }
        if (document.activeElement !== colour)
            colour.value = now;
        if (document.activeElement !== most)
            most.value = limit;
        orbits.hidden = !hasOrbits(state);
        ghosts.hidden = box.hidden = !state.boundary?.box;
    });

    return [
        section(null,
            choice(app, "mode", "Bodies as", {points: "Points", spheres: "Spheres",
                                               density: "Density"}),
            logSlider(app, "size", "Size", 0.2, 8, x => `${number(x, 2)}×`),
            logSlider(app, "brightness", "Brightness", 0.1, 8, x => `${number(x, 2)}×`)),
        section("Colour", row("By", colour), mapChoice(app),
            toggle(app, "reverse", "Reversed")),
        section("Show", toggle(app, "trails", "Trails", "Where bodies were (t)"),
            logSlider(app, "trailLength", "Trail length", 8, 512, x => `${Math.round(x)} frames`),
            orbits, ghosts, box, toggle(app, "grid", "Grid", "In the plane z = 0 (b)"),
            toggle(app, "axes", "Axes")),
        section("Camera", toggle(app, "ortho", "Without perspective", "(o)"),
            el("div", {class: "buttons"},
               button("Fit", () => actions.resetView(), {title: "(r)"}),
               button("Top", () => actions.lookAlong("z"), {title: "Along z (1)"}),
               button("Front", () => actions.lookAlong("y"), {title: "Along y (2)"}),
               button("Side", () => actions.lookAlong("x"), {title: "Along x (3)"}))),
        section("Frames", row("Bodies at most", most)),
    ];
}
