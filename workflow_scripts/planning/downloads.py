"""Whether data may be fetched."""

from clinbench.errors import UserError


def require_permission(config: dict) -> list[str]:
    """Return no input files where downloads are allowed.

    Raises:
        UserError: they are not.
    """
    if not config["allow_download"]:
        raise UserError(
            "allow_download is false, so nothing is fetched from publishers. Set it to true, or fetch the data "
            "yourself and name their folders under data:."
        )
    return []
