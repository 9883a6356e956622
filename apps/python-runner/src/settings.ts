/** The settings of the runner's parts. `env.ts` reads them; tests write their own. */
export interface RunnerSettings {
  /** The one origin that this process may call. */
  ENGINE_URL: string;
  /** The most sandbox children, warm and busy together. */
  PYTHON_CHILDREN: number;
  /** Concurrent calls of one organization. */
  PYTHON_CHILDREN_PER_ORGANIZATION: number;
  /** A child ends after this many calls. */
  PYTHON_CALLS_PER_CHILD: number;
  /** Calls that may wait for a child; further ones are refused. */
  PYTHON_WAITING_CALLS: number;
  PYTHON_WAIT_MS: number;
  PYTHON_START_MS: number;
  /** A used child ends after this long without a call. */
  PYTHON_IDLE_MS: number;
  /** The longest `timeout_ms` of a call. */
  PYTHON_TIMEOUT_MS: number;
  PYTHON_COMPILE_MS: number;
  /** Memory of Python itself (WebAssembly). */
  PYTHON_MEMORY_MB: number;
  /** Heap of the JavaScript around it. */
  PYTHON_HEAP_MB: number;
  /** A child whose resident memory exceeds this is killed. */
  PYTHON_RSS_MB: number;
  /** A child whose resident memory exceeds this is not used again: Python returns no memory. */
  PYTHON_KEEP_RSS_MB: number;
  /** Processor seconds of a child in its whole life. This limit remains even if the runner itself is killed. */
  PYTHON_CPU_SECONDS: number;
  PYTHON_SOURCE_BYTES: number;
  PYTHON_ARGUMENT_BYTES: number;
  PYTHON_RESULT_BYTES: number;
  PYTHON_STDOUT_CHARS: number;
  /** Questions to the host in one call: credentials and HTTP requests. */
  PYTHON_HOST_CALLS: number;
  /** Bytes of one answer to `http_request`. */
  PYTHON_HTTP_BYTES: number;
  /** Bytes of the body that `event()` returns. A larger one is refused, never truncated. */
  PYTHON_EVENT_BYTES: number;
}

/** Injection token of `RunnerSettings`. */
export const SETTINGS = Symbol('RunnerSettings');
