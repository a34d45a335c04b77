"""Build hook: generates levy_client/generated from the OpenAPI document of the repository."""

import subprocess
import sys
from pathlib import Path
from shutil import copyfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root)
        repository = folder.parent.parent
        document = repository / "shared/api/openapi.json"
        # A source distribution contains the generated code, but not the document.
        if document.exists():
            command = ["generate", "--path", str(document), "--config", str(folder / "generate.yaml"), "--meta", "none"]
            output = ["--overwrite", "--output-path", str(folder / "levy_client/generated")]
            subprocess.run([sys.executable, "-m", "openapi_python_client", *command, *output], check=True)
            copyfile(repository / "LICENSE", folder / "LICENSE")
        elif not (folder / "levy_client/generated").exists():
            raise RuntimeError("The OpenAPI document is missing: run `npm ci` in the root folder of the repository.")
        # The folder is in .gitignore, so hatchling would leave it out.
        build_data["artifacts"] += ["levy_client/generated", "LICENSE"]
