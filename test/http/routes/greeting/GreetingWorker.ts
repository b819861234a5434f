/** The program of a worker thread: it does its work when it is loaded. */
throw new Error("loaded as if it had a route")
