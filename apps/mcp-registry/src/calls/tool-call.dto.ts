import { JsonObject, Text, Whole } from '#libs/service-kit';

export class CallTool {
  @Text(100, { minLength: 1 }) tool_id: string;
  @Text(64, { minLength: 64, description: 'Of the definition that the arguments were made for' }) pin: string;
  @JsonObject() arguments: Record<string, unknown>;
  @Text(200, { minLength: 1, description: "The caller's name of the call, for the record" }) call_id: string;
  @Whole(100, 600_000, { optional: true }) timeout_ms?: number;
}
