/** What the runner's parts are given; `env.ts` reads it, tests write it. */
export interface RunnerSettings {
  /** The one origin that this process may call. */
  ENGINE_URL: string;
  /** Sandbox children at most, warm and busy together. */
  PYTHON_CHILDREN: number;
  /** Calls of one organization at a time. */
  PYTHON_CHILDREN_PER_ORGANIZATION: number;
  /** A child ends after this many calls. */
  PYTHON_CALLS_PER_CHILD: number;
  /** Calls that wait for a child; one more is refused. */
  PYTHON_WAITING_CALLS: number;
  PYTHON_WAIT_MS: number;
  PYTHON_START_MS: number;
  /** A child that served an organization ends after this long without a call. */
  PYTHON_IDLE_MS: number;
  /** The longest `timeout_ms` of a call. */
  PYTHON_TIMEOUT_MS: number;
  PYTHON_COMPILE_MS: number;
  /** Memory of Python itself (WebAssembly). */
  PYTHON_MEMORY_MB: number;
  /** Heap of the JavaScript around it. */
  PYTHON_HEAP_MB: number;
  /** Resident memory of a whole child, at which it is killed. */
  PYTHON_RSS_MB: number;
  /** Resident memory above which a child is not used again: Python gives none back. */
  PYTHON_KEEP_RSS_MB: number;
  /** Processor time of a child in its whole life: what is left of it should the runner itself be killed. */
  PYTHON_CPU_SECONDS: number;
  PYTHON_SOURCE_BYTES: number;
  PYTHON_ARGUMENT_BYTES: number;
  PYTHON_RESULT_BYTES: number;
  PYTHON_STDOUT_CHARS: number;
  /** Questions to the host in one call: credentials and HTTP requests. */
  PYTHON_HOST_CALLS: number;
  /** Of one answer to `http_request`. */
  PYTHON_HTTP_BYTES: number;
  /** Of the body that `event()` gives: a larger one is refused, never cut. */
  PYTHON_EVENT_BYTES: number;
}

/** Injection token of `RunnerSettings`. */
export const SETTINGS = Symbol('RunnerSettings');
