import type { EventBody } from './message.js';

/** Engine → `POST /internal/run` of the python-runner: one call of a Python tool. */
export interface PythonRunRequest {
  call_id: string;
  /** The one of the caller's token. A sandbox serves no other. */
  organization_id: string;
  source: string;
  /** In hex, so that what runs is what was approved. */
  source_sha256: string;
  function: string;
  arguments: Record<string, unknown>;
  /** By the names that the source asks for; handed to it when it asks. Absent: none. */
  credentials?: Record<string, Record<string, string>>;
  timeout_ms: number;
  /** Where the tool's `http_request` is made, an address of the engine. Absent: it is refused. */
  callback_url?: string;
  /** Sent there as `Authorization: Bearer`; good for this call alone. */
  callback_token?: string;
}

/** Runner → `callback_url`: what a tool gave to `http_request`, unchecked. */
export interface PythonHttpRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** What the engine answers to `<callback_url>/event`, with status 200: what the turn's event was received as. */
export type PythonEventAnswer = ({ id: string } & EventBody) | { error: { code: string; message: string } };

/** What the engine answers there, with status 200. */
export type PythonHttpAnswer =
  | { status: number; headers: Record<string, string>; body: string; truncated: boolean }
  | { error: { code: string; message: string } };

/** What the runner answers to `POST /internal/compile` `{source}`. */
export type PythonCompileAnswer =
  | {
      ok: true;
      name: string;
      description: string;
      input_schema: Record<string, unknown>;
      uses: { http: boolean; credentials: string[] };
    }
  | { ok: false; errors: PythonSourceError[] };

/** Lines and columns count from 1. */
export interface PythonSourceError {
  line: number;
  column: number;
  message: string;
  code: string;
}
