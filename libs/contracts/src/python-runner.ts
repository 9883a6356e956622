import type { EventBody } from './message.js';

/** Engine → `POST /internal/run` of the python-runner: one call of a Python tool. */
export interface PythonRunRequest {
  call_id: string;
  /** The organization of the caller's token. A sandbox serves no other. */
  /** Whose calls may share a process. Absent: those of the turn, the first part of `call_id`. */
  conversation?: string;
  organization_id: string;
  source: string;
  /** In hex: what runs is what was approved. */
  source_sha256: string;
  function: string;
  arguments: Record<string, unknown>;
  /** By the names that the source asks for; given to it on request. Absent: none. */
  credentials?: Record<string, Record<string, string>>;
  timeout_ms: number;
  /** An address of the engine that makes the tool's `http_request`. Absent: it is refused. */
  callback_url?: string;
  /** Sent there as `Authorization: Bearer`; valid for this call only. */
  callback_token?: string;
}

/** Runner → `callback_url`: what a tool passed to `http_request`, unchecked. */
export interface PythonHttpRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The engine's answer to `<callback_url>/event`, with status 200: the turn's event as it was received. */
export type PythonEventAnswer = ({ id: string } & EventBody) | { error: { code: string; message: string } };

/** The engine's answer to that, with status 200. */
export type PythonHttpAnswer =
  | { status: number; headers: Record<string, string>; body: string; truncated: boolean }
  | { error: { code: string; message: string } };

/** The runner's answer to `POST /internal/compile` `{source}`. */
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
