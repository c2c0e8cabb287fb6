"use strict";
// The computations of the page, one request at a time, in a worker (worker_client.js); a new request replaces the
// last. A request is {number, state, dragging, views}, with the ids of the views in order of priority. The messages
// in return, each with the number of the request, are:
//
//     {}                              the request was received
//     {progress}                      the share of the work on the context that is done, if that takes long
//     {context}                       the context of all views (view_context.js)
//     {view, obstacle}                why a view cannot be shown
//     {view, progress}                the share of the work on a view that is done
//     {view, data, worst_mix}         the data of a view, or null if they wait until the end of a drag
//     {done}                          there is no more to come
//     {error}                         a fault of the code, as text
const view_worker = (() => {
  const PROGRESS_INTERVAL = 100;  // Milliseconds.
  const views = new Map([...views_saturated.all, ...views_open.all].map((view) => [view.id, view]));

  // Passes on progress, not more often than every PROGRESS_INTERVAL.
  function throttle(callback) {
    let last = performance.now();
    return (progress) => {
      if (performance.now() - last < PROGRESS_INTERVAL) return;
      last = performance.now();
      callback(progress);
    };
  }

  // Returns the function that takes a request; `post` gets the messages. Views take turns of `slice` milliseconds.
  function start(post, slice) {
    let latest = 0;

    async function answer({ number, state, dragging, views: ids }) {
      latest = number;
      const send = (content) => post({ number, ...content });
      send({});
      const context = view_context.create(state, dragging, throttle((progress) => send({ progress })));
      send({ context });
      let tasks = ids.flatMap((id) => _start_view(views.get(id), context, send) ?? []);
      while (tasks.length) {
        tasks = tasks.filter((task) => _continue_view(task, context, performance.now() + slice, send));
        // A new request may arrive here.
        await new Promise((resolve) => { setTimeout(resolve); });
        if (latest !== number) return;
      }
      send({ done: true });
    }

    return (request) => answer(request).catch((error) => post({ number: request.number, error: String(error.stack) }));
  }

  // The task of a view, or null if there is none.
  function _start_view(view, context, send) {
    const { id } = view;
    if (!context.means && context.dragging) {
      send({ view: id, data: null });
      return null;
    }
    const obstacle = context.means ? view.find_obstacle(context) : "The present system is too large for this page.";
    if (obstacle) {
      send({ view: id, obstacle });
      return null;
    }
    return { id, steps: view.compute(context), on_progress: throttle((progress) => send({ view: id, progress })) };
  }

  // Works on a view until `deadline`; returns whether there is more to do.
  function _continue_view({ id, steps, on_progress }, context, deadline, send) {
    do {
      let step;
      try {
        step = steps.next();
      } catch (error) {
        if (!error.obstacle && !(error instanceof chain.TooLarge)) throw error;
        send({ view: id, obstacle: error.obstacle ?? `Some of these systems are too large for this page: ${error.message}.` });
        return false;
      }
      if (step.done) {
        send({ view: id, data: step.value, worst_mix: context.worst_mix });
        return false;
      }
      on_progress(step.value);
    } while (performance.now() < deadline);
    return true;
  }

  return { start };
})();
