import {
  JsonRpcRequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  A2A_ERROR_CODE,
} from '@a2a-js/sdk/errors';
import { Problem } from '#libs/service-kit';

/** Runs it, and has what it throws be an error of A2A. */
export async function asA2A<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof Problem ? a2aErrorOf(error) : error;
  }
}

function a2aErrorOf(problem: Problem): Error {
  const { code, detail, status } = problem;
  if (code === 'task_not_found') return new TaskNotFoundError(detail);
  if (code === 'task_ended') return new TaskNotCancelableError(detail);
  const envelopeCode = status < 500 ? A2A_ERROR_CODE.INVALID_PARAMS : A2A_ERROR_CODE.INTERNAL_ERROR;
  return new JsonRpcRequestMalformedError({ message: detail, envelopeCode, metadata: { code }, cause: problem });
}
