"""Reads a request's body, within limits."""

from starlette.requests import ClientDisconnect, Request

from app.web.refusal import MALFORMED, TOO_LARGE, UNSUPPORTED, Refused


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of *request*; raise Refused if it is not plain JSON or longer than *most* bytes."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
        raise Refused(UNSUPPORTED)
    if int(request.headers.get("content-length", 0)) > most:
        raise Refused(TOO_LARGE)
    return await _counted(request, most)


async def _counted(request: Request, most: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise Refused(TOO_LARGE)
    except ClientDisconnect:
        raise Refused(MALFORMED) from None
    return bytes(body)
