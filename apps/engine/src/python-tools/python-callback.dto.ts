import type { PythonHttpRequest } from '#libs/contracts';
import { JsonObject, Text } from '#libs/service-kit';
import { Allow } from 'class-validator';

/** Checked as the arguments of `http_request` before it is made. */
export class PythonCallbackBody implements PythonHttpRequest {
  @Text(10) method: string;
  @Text(8_192) url: string;
  @JsonObject({ optional: true }) headers?: Record<string, string>;
  @Allow() body?: unknown;
}
