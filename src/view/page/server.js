// Requests to the server. See docs/viewer.md, "Interface".

const STORE = "octant.token";
let token = "";

// The token leaves the address bar, where it would be copied and photographed, and stays with this
// tab, so that a reload works.
export function takeToken() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
        sessionStorage.setItem(STORE, given);
        history.replaceState(null, "", location.pathname);
    }
    const before = token;
    token = sessionStorage.getItem(STORE) ?? "";
    return token !== before;
}

// A request that was refused, with the server's sentence; `status` is 0 where nobody answered.
class Refusal extends Error {
    constructor(status, sentence) {
        super(sentence);
        this.status = status;
    }
}

export async function request(path, options = {}) {
    let response;
    try {
        response = await fetch(path, {
            ...options,
            cache: "no-store",
            headers: {"X-Octant-Token": token},
        });
    } catch (error) {
        throw new Refusal(0, error.name === "TimeoutError" ? "The viewer does not answer."
                                                           : "The viewer cannot be reached.");
    }
    if (response.ok)
        return response;
    const reply = await response.json().catch(() => ({}));
    throw new Refusal(response.status, reply.error ?? response.statusText);
}

export async function get(path, milliseconds = 10000) {
    return (await request(path, {signal: AbortSignal.timeout(milliseconds)})).json();
}

// A command waits for the step in progress, so it has no time limit.
export async function post(verb, values = {}) {
    const body = Object.entries(values).map(([key, value]) => `${key}=${value}\n`).join("");
    return (await request(`/api/${verb}`, {method: "POST", body})).json();
}
