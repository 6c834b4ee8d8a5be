"""A volume to which "A" and "a" are one name, and which keeps names as they were given, as the FAT of sticks and cameras is.

    case-blind-volume.py BACKING FOLDER

What is in it is in the folder BACKING. As with the kernel's FAT, to rename an item to another spelling of its name does nothing and
succeeds; there are neither links nor extended attributes. Ends when it is unmounted.
"""

import errno
import os
import sys

import fusepy as fuse


class CaseBlind(fuse.Operations):
    def __init__(self, backing):
        self.backing = backing

    def __call__(self, operation, path, *arguments):
        try:
            return super().__call__(operation, path, *arguments)
        except OSError as error:
            raise fuse.FuseOSError(error.errno) from error

    def at(self, path):
        """Where an item is, under whatever spelling; what is not there is where it would be."""
        place = self.backing
        for name in path.strip("/").split("/"):
            if not name:
                continue
            known = {other.casefold(): other for other in os.listdir(place)} if os.path.isdir(place) else {}
            place = os.path.join(place, known.get(name.casefold(), name))
        return place

    def getattr(self, path, fh=None):
        status = os.lstat(self.at(path))
        return {key: getattr(status, key) for key in (
            "st_atime", "st_ctime", "st_gid", "st_ino", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid")}

    def readdir(self, path, fh):
        yield from (".", "..")
        place = self.at(path)
        for name in os.listdir(place):
            yield name, {"st_ino": os.lstat(os.path.join(place, name)).st_ino}, 0

    def rename(self, old, new):
        source, target = self.at(old), self.at(new)
        if source == target:
            return
        if not os.path.lexists(target):
            target = os.path.join(os.path.dirname(target), os.path.basename(new))
        os.rename(source, target)

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(self.at(path), flags & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC))

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.at(path) if fh is None else fh, length)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def fsyncdir(self, path, datasync, fh):
        return 0

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def unlink(self, path):
        os.unlink(self.at(path))

    def chmod(self, path, mode):
        os.chmod(self.at(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self.at(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.at(path), times)

    def statfs(self, path):
        found = os.statvfs(self.backing)
        return {key: getattr(found, key) for key in (
            "f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_flag", "f_frsize", "f_namemax")}

    def refuse(self, *arguments):
        raise fuse.FuseOSError(errno.EPERM)

    link = symlink = mknod = refuse

    def have_none(self, *arguments):
        raise fuse.FuseOSError(errno.EOPNOTSUPP)

    getxattr = setxattr = listxattr = removexattr = have_none


if __name__ == "__main__":
    _, backing, folder = sys.argv
    fuse.FUSE(
        CaseBlind(backing), folder, foreground=True, nothreads=True, use_ino=True, hard_remove=True,
        attr_timeout=0, entry_timeout=0, negative_timeout=0,
    )
