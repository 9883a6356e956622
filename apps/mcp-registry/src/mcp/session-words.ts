const lost = String.raw`(?:not (?:be )?found|unknown|expired|invalid|missing|required|terminated|closed|lost|gone|ended|deleted|inactive|timed out|time-?out|not valid|no longer|not exist|doesn'?t exist)`;
const session = String.raw`(?:mcp[- ])?session(?:[- ]?ids?)?`;
const uninitialized = String.raw`(?:(?:is |was |has )?not (?:been |yet )?initiali[sz]ed|before initiali[sz]ation)`;
/** In a refusal by status, which comes before the server acts, anywhere in the text. */
export const inRefusal = new RegExp(
  String.raw`\b${session}\b[^.\n]{0,60}\b${lost}\b|\b(?:no|invalid|missing|unknown|expired|stale|bad)\b[^.\n]{0,30}\b${session}\b|${uninitialized}`,
  'i',
);
/** In any other answer, only if it is the whole beginning: a tool may have failed for want of a session of its own. */
export const atBeginning = new RegExp(
  String.raw`^\W*(?:(?:bad request|not found|unauthorized|invalid request|error|mcp error -?\d+)\W+)*(?:the |your )?(?:(?:no|invalid|missing|unknown|expired|stale)(?: or (?:missing|invalid|expired|unknown))?(?: valid)? ${session}\b|${session}\b[^.\n]{0,60}\b${lost}\b|(?:server|session|client|connection) ${uninitialized}|not initiali[sz]ed|received request ${uninitialized})`,
  'i',
);
/** JSON-RPC codes of errors that a tool's own exception becomes. */
export const ofTool = new Set([-32_603]);

/** Whether an error of JSON-RPC says that the server does not know the session, and so has not acted. */
export function saysSessionLost(code: number, message: string): boolean {
  return !ofTool.has(code) && atBeginning.test(message);
}
