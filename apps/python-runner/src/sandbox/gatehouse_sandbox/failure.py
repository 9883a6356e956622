import traceback


def told(error, limit=1000):
    """An exception as its author reads it: kind and text, without the frames of the sandbox."""
    try:
        text = str(error)
    except BaseException:
        text = ''
    return f'{type(error).__name__}: {text}'.rstrip(': ')[:limit]


def line_of(error):
    """The last line of the tool's own source that the exception passed, or None."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == 'tool.py']
    return lines[-1] if lines else None
