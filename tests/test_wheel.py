"""The wheel: whatever the packages hold beside code comes along."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = (ROOT / "klondike_env", ROOT / "agents" / "klondike_agents")


def test_the_wheel_holds_pages_labels_and_all_code(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = {
        str(path.relative_to(package.parent))
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert any(name.startswith("klondike_env/replay/assets/") for name in files)
    assert any(name.startswith("klondike_env/data/labels/") for name in files)
    assert files <= packed, sorted(files - packed)
