// The measurements so far, kept in step with /api/series.
import {get} from "./server.js";

export class Series {
    columns = [];
    rows = [];
    #epoch = 0;
    #next = 0;

    // Fetches what is new; returns whether there was anything.
    async update({epoch, rows}) {
        if (epoch === this.#epoch && rows <= this.#next)
            return false;
        let more = true;
        while (more) {
            const part = await get(`/api/series?epoch=${this.#epoch}&from=${this.#next}`);
            if (part.epoch !== this.#epoch || part.first !== this.#next)
                this.rows.length = 0;
            this.#epoch = part.epoch;
            this.#next = part.next;
            this.columns = part.columns;
            this.rows.push(...part.rows);
            more = part.rows.length === 500;
        }
        return true;
    }

    // Charts that can be made: columns by name, with the components of a vector together, and with
    // the parts that one column is measured of.
    groups() {
        const groups = new Map();
        this.columns.forEach(({name, unit, doc, group, part}, index) => {
            const base = group ?? name.replace(/_[xyz]$/, "");
            if (index < 2)
                return;
            if (!groups.has(base))
                groups.set(base, {name: base, unit, doc, indices: [], keys: []});
            groups.get(base).indices.push(index);
            groups.get(base).keys.push(part ?? name.slice(base.length + 1));
        });
        return groups;
    }

    column(index) {
        return this.rows.map(row => row[index] ?? NaN);
    }
}
