// Osculating orbits: the ellipse that each body would follow around the one it is bound to.
import {get} from "./server.js";
import {cross, dot, length, scale, sub} from "./vector.js";

const MOST = 256; // bodies that one request gives
const PERIOD_MS = 400;

// The orbit of `body` around `primary`; null where it is not bound.
export function orbitAround(body, primary, G) {
    const mu = G * (body.mass + primary.mass);
    const r = sub(body.position, primary.position), v = sub(body.velocity, primary.velocity);
    const distance = length(r), energy = 0.5 * dot(v, v) - mu / distance;
    if (!(energy < 0) || !(distance > 0))
        return null;
    const momentum = cross(r, v), axis = -0.5 * mu / energy;
    // The vector to the periapsis, of length e; a circle has none, and begins where the body is.
    const vector = sub(scale(cross(v, momentum), 1 / mu), scale(r, 1 / distance));
    const eccentricity = length(vector);
    if (!(length(momentum) > 0) || eccentricity >= 1)
        return null;
    return {
        axis,
        eccentricity,
        focus: primary.position,
        normal: scale(momentum, 1 / length(momentum)),
        periapsis: eccentricity > 1e-9 ? scale(vector, 1 / eccentricity) : scale(r, 1 / distance),
        period: 2 * Math.PI * Math.sqrt(axis ** 3 / mu),
        primary: primary.id,
    };
}

// Around the heavier body with which it has the smallest orbit: a planet's is its star's, not that
// of the black hole which the star goes round.
export function orbitOf(body, bodies, G) {
    let best = null;
    for (const primary of bodies) {
        if (!(primary.mass > body.mass))
            continue;
        const orbit = orbitAround(body, primary, G);
        if (orbit && (!best || orbit.axis < best.axis))
            best = orbit;
    }
    return best;
}

export const hasOrbits = state => Boolean(state) && !(state.boundary?.omega > 0);

export function startOrbits(app, renderer) {
    let shown = "";

    async function update() {
        const {state, look} = app;
        const now = `${state?.generation} ${state?.step}`;
        if (look.orbits && hasOrbits(state) && now !== shown && !document.hidden) {
            try {
                const {bodies, generation, step} = await get(`/api/body?slot=0&count=${MOST}`);
                renderer.orbits = bodies.map(body => orbitOf(body, bodies, state.units.G))
                                        .filter(Boolean);
                shown = `${generation} ${step}`;
                renderer.request();
            } catch {
                shown = ""; // asked again when the server is back
            }
        } else if (!look.orbits || !hasOrbits(state)) {
            renderer.orbits = [];
            shown = "";
        }
        setTimeout(update, PERIOD_MS);
    }
    update();
}
