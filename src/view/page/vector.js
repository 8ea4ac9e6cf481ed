// Vectors of three numbers, and the matrices of a camera (column by column, as WebGL takes them).

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = a => Math.hypot(...a);
export const cross = (a, b) =>
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function multiply(a, b) {
    const out = new Float32Array(16);
    for (let column = 0; column < 4; column++)
        for (let row = 0; row < 4; row++)
            for (let k = 0; k < 4; k++)
                out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return out;
}

export const transform = (m, [x, y, z]) =>
    [0, 1, 2, 3].map(row => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
