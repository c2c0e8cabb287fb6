"use strict";
// Sends the requests of the page to `view_worker`. The worker is made from the scripts of this page, so that nothing
// is loaded and no work blocks the page. If a browser does not allow a worker, the same code runs in the page.
const worker_client = (() => {
  // Milliseconds of a view's turn in a worker and, shorter than a frame, in the page.
  const [WORKER_SLICE, PAGE_SLICE] = [20, 7];
  // A worker that has not received a request after so many milliseconds is in the middle of an earlier one.
  const MAX_DELAY = 250;

  function _create_worker(on_message, on_error) {
    const scripts = [...document.querySelectorAll("#worker-scripts script")].map((script) => script.textContent);
    const last = `const answer = view_worker.start(postMessage, ${WORKER_SLICE}); onmessage = ({ data }) => answer(data);`;
    const url = URL.createObjectURL(new Blob([...scripts, last], { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onmessage = ({ data }) => on_message(data);
    worker.onerror = on_error;
    return worker;
  }

  // The interface of a worker, without one.
  function _create_substitute(on_message) {
    return { postMessage: view_worker.start(on_message, PAGE_SLICE), terminate() {} };
  }

  // Returns {request, busy}: `on_message` gets the messages about the latest request.
  function start(on_message) {
    // The request that is worked on and the one after it, or null; `is_received` says whether the worker has sent a
    // message about the first, `works` whether it has ever sent one.
    let [worker, number, current, next, is_received, works, timer] = [null, 0, null, null, false, false, 0];

    function receive(message) {
      if (message.number !== number) return;
      if (message.error) throw new Error(message.error);
      [is_received, works] = [true, true];
      if (message.done) current = null;
      on_message(message);
      if (!current && next) send(next);
    }

    function create() {
      try {
        worker = _create_worker(receive, () => {
          if (works) return;
          worker = _create_substitute(receive);
          worker.postMessage(current);
        });
      } catch {
        worker = _create_substitute(receive);
      }
    }

    function send(request) {
      const is_interruption = current !== null;
      number += 1;
      [current, next, is_received] = [{ ...request, number }, null, false];
      worker.postMessage(current);
      clearTimeout(timer);
      if (is_interruption) timer = setTimeout(replace_worker, MAX_DELAY);
    }

    function replace_worker() {
      if (is_received || !current || !works) return;
      worker.terminate();
      create();
      worker.postMessage(current);
    }

    // During a drag states may change faster than the worker answers: it skips all but the latest.
    function request(content) {
      if (current?.dragging && content.dragging) next = content;
      else send(content);
    }

    create();
    return { request, get busy() { return current !== null || next !== null; } };
  }

  return { start };
})();
