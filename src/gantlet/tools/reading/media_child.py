"""A program that takes one picture or PDF apart, within limits of time and memory.

It is started as a file of its own, with nothing of ours to import: one task as an argument, the
file on the input, the answer on the output. A hostile file meets a process that can open nothing
for writing, and has little to lose.
"""

import base64
import io
import json
import resource
import sys
import warnings
from typing import Any, Final

#: More than this the API makes smaller anyway.
MAX_EDGE: Final = 1568
#: A picture of more pixels is not decoded.
MAX_PIXELS: Final = 100_000_000
#: A larger file is written again as JPEG.
MAX_BYTES: Final = 500_000
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO")
_QUALITIES: Final = (85, 70, 50, 30)
_MAX_TEXT_CHARS: Final = 20_000
#: How much larger than itself a page is drawn; a PDF has 72 points to the inch.
_MAX_SCALE: Final = 2.0
_MEMORY_BYTES: Final = 2 * 1024 * 1024 * 1024
_CPU_SECONDS: Final = 40


class UnreadableError(ValueError):
    """A file cannot be shown; the words say why, as a clause."""


def limit_ourselves() -> None:
    """Give up the right to more: memory, time, files to write, dumps."""
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (bound, bound))


def scaled(content: bytes) -> dict[str, object]:
    """Return a picture as the API takes it: its first frame, upright, without its metadata.

    Raises:
        UnreadableError: It cannot be decoded, or is too large.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415 - heavy

    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # the bound below is ours, and holds before anything is decoded
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
            width, height = opened.size
            _refuse_bomb(width, height)
            opened.draft("RGB", (MAX_EDGE, MAX_EDGE))  # a JPEG need not be decoded in full size
            fitted = _fitted(ImageOps.exif_transpose(opened))
    except UnreadableError:
        raise
    except UnidentifiedImageError as error:
        raise UnreadableError("it is no picture that can be decoded") from error
    except (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, TypeError) as error:
        raise UnreadableError(f"it is damaged ({type(error).__name__})") from error
    return {**_written(fitted), "original_width": width, "original_height": height}


def _refuse_bomb(width: int, height: int) -> None:
    """Refuse a picture that would fill the memory when it is decoded."""
    if width * height > MAX_PIXELS:
        reason = f"it has {width:,} x {height:,} pixels, more than can be decoded"
        raise UnreadableError(reason)


def _fitted(image: Any) -> Any:  # noqa: ANN401 - the library is imported late
    """Return a picture that is not too large, in a mode that can be written."""
    if image.mode not in {"RGB", "RGBA", "L", "LA"}:
        has_alpha = "transparency" in image.info or image.mode in {"PA", "La", "RGBa"}
        image = image.convert("RGBA" if has_alpha else "RGB")
    if max(image.size) > MAX_EDGE:
        image.thumbnail((MAX_EDGE, MAX_EDGE))
    return image


def _written(image: Any) -> dict[str, object]:  # noqa: ANN401 - the library is imported late
    """Return a picture as PNG, or as JPEG if that would be too large."""
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=3)
    data, kind = stream.getvalue(), "image/png"
    if len(data) > MAX_BYTES:
        data, kind = as_jpeg(image), "image/jpeg"
    return {"media_type": kind, "data": _base64(data), "width": image.width, "height": image.height}


def as_jpeg(image: Any) -> bytes:  # noqa: ANN401 - the library is imported late
    """Return a picture as JPEG, on white, as good as it can be without being too large."""
    from PIL import Image  # noqa: PLC0415 - heavy

    if image.mode in {"RGBA", "LA"}:
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    image = image.convert("RGB")
    data = b""
    for quality in _QUALITIES:
        stream = io.BytesIO()
        image.save(stream, "JPEG", quality=quality)
        data = stream.getvalue()
        if len(data) <= MAX_BYTES:
            break
    return data


def document(content: bytes, first: int, last: int | None, most: int) -> dict[str, object]:
    """Return how many pages a PDF has, and those that were asked for if they are not too many.

    Raises:
        UnreadableError: It cannot be opened.
    """
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy

    try:
        opened = pypdfium2.PdfDocument(content)
        total = len(opened)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise UnreadableError("it is locked with a password") from error
        raise UnreadableError("it is damaged, or no PDF") from error
    end = min(total if last is None else last, total)
    wanted = range(first, end + 1) if end - first < most else range(0)
    return {"total": total, "pages": [_page(opened, number) for number in wanted]}


def _page(opened: Any, number: int) -> dict[str, object]:  # noqa: ANN401 - the library has no types
    """Return one page; what cannot be read of it is left out."""
    try:
        page = opened[number - 1]
        return {"number": number, "text": _text(page), "picture": _drawn(page)}
    except (RuntimeError, ValueError):  # the library's own failures are the former
        return {"number": number, "text": "[This page is damaged.]", "picture": None}


def _text(page: Any) -> str:  # noqa: ANN401 - the library has no types
    """Return what can be read on a page."""
    text: str = page.get_textpage().get_text_bounded()
    text = text.replace("\r\n", "\n").strip()
    if len(text) <= _MAX_TEXT_CHARS:
        return text
    return f"{text[:_MAX_TEXT_CHARS]}… [{len(text) - _MAX_TEXT_CHARS:,} more characters]"


def _drawn(page: Any) -> dict[str, object] | None:  # noqa: ANN401 - the library has no types
    """Return how a page looks."""
    width, height = page.get_size()
    if not (width > 0 and height > 0):
        return None
    image = page.render(scale=min(_MAX_SCALE, MAX_EDGE / max(width, height))).to_pil()
    return {
        "media_type": "image/jpeg",
        "data": _base64(as_jpeg(image)),
        "width": image.width,
        "height": image.height,
        "original_width": round(width),
        "original_height": round(height),
    }


def _base64(data: bytes) -> str:
    """Return bytes as the API takes them."""
    return base64.b64encode(data).decode("ascii")


def answer(task: dict[str, Any], content: bytes) -> dict[str, object]:
    """Do what is asked, or say why it cannot be done."""
    try:
        if task["task"] == "picture":
            return scaled(content)
        return document(content, task["first"], task["last"], task["most"])
    except UnreadableError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "it takes more memory than it may"}


if __name__ == "__main__":
    limit_ourselves()
    sys.stdout.write(json.dumps(answer(json.loads(sys.argv[1]), sys.stdin.buffer.read())))
