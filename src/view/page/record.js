// The picture as a PNG, and as a WebM film while it changes.

function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const stamp = ({state, frame}) =>
    `${state?.scene || "octant"}-${String(frame?.step ?? 0).padStart(6, "0")}`;

export function savePicture(app, renderer, canvas) {
    renderer.draw(); // a picture is there to be read only until the browser has shown it
    canvas.toBlob(blob => blob && download(blob, `${stamp(app)}.png`), "image/png");
}

export class Recorder {
    #recorder = null;
    #parts = [];

    get running() {
        return this.#recorder !== null;
    }
    static possible(canvas) {
        return "MediaRecorder" in window && "captureStream" in canvas;
    }

    start(app, canvas) {
        const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"]
            .find(each => MediaRecorder.isTypeSupported(each));
        if (!type)
            throw new Error("This browser records no WebM.");
        const recorder = new MediaRecorder(canvas.captureStream(30),
                                           {mimeType: type, videoBitsPerSecond: 16e6});
        this.#parts = [];
        recorder.addEventListener("dataavailable", event => this.#parts.push(event.data));
        recorder.addEventListener("stop", () => {
            download(new Blob(this.#parts, {type: "video/webm"}), `${stamp(app)}.webm`);
            this.#parts = [];
        });
        recorder.start(1000);
        this.#recorder = recorder;
    }

    stop() {
        this.#recorder?.stop();
        this.#recorder = null;
    }
}
