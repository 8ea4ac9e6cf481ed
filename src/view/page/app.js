// What the parts of the page share: the server's state, the newest frame, how things are shown,
// and word of changes: "state", "frame", "look", "link", "pick", "scene".

const STORE = "octant.look";

const LOOK = {
    mode: "points", // points, spheres, density
    size: 1,
    brightness: 1,
    map: "lagoon",
    reverse: false,
    ghosts: false,
    trails: false,
    trailLength: 64,
    orbits: false,
    grid: true,
    axes: false,
    box: true,
    ortho: false,
    follow: false,
};

function storedLook() {
    try {
        const stored = JSON.parse(localStorage.getItem(STORE)) ?? {};
        return Object.fromEntries(Object.entries(stored).filter(
            ([key, value]) => typeof value === typeof LOOK[key]));
    } catch {
        return {}; // storage may be blocked or hold something else
    }
}

export function createApp() {
    const listeners = new Map();
    const stored = storedLook();
    const app = {
        state: null,
        frame: null,
        frozen: false,  // the picture stands still while the simulation goes on
        picked: null,   // {index, slot, body}
        look: {...LOOK, ...stored, follow: false},
        chosen: Object.keys(stored).length > 0, // somebody has said how things are to look

        on(name, listener) {
            listeners.set(name, [...(listeners.get(name) ?? []), listener]);
        },
        emit(name, value) {
            for (const listener of listeners.get(name) ?? [])
                listener(value);
        },
        set(key, value) {
            if (app.look[key] === value)
                return;
            app.look[key] = value;
            app.emit("look", key);
            if (key === "follow")
                return;
            app.chosen = true;
            try {
                localStorage.setItem(STORE, JSON.stringify(app.look));
            } catch {
                // a choice that is forgotten does no harm
            }
        },
        // How a scene looks best, as long as nobody has chosen anything.
        suggest(look) {
            for (const [key, value] of Object.entries(app.chosen ? {} : look)) {
                app.look[key] = value;
                app.emit("look", key);
            }
        },
        toggle(key) {
            app.set(key, !app.look[key]);
        },
        can(verb) {
            return app.state?.verbs?.includes(verb) ?? false;
        },
    };
    return app;
}
